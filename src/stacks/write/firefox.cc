#include "stacks/write/firefox.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/json.h"
#include "stacks/write/firefox_thread.h"

namespace pgokit::stacks {
namespace {

using report::json_quoted;

// A build id as debuggers of other systems have it: 16 bytes, the first three numbers of them with
// their bytes swapped, and an age.
std::string breakpad_id(std::string_view build_id) {
  if (build_id.empty()) return std::string(32, '0') + "0";
  std::string id(build_id.substr(0, 32));
  id.resize(32, '0');
  constexpr std::array<size_t, 16> order{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  std::string out;
  for (size_t byte : order)
    for (size_t digit : {2 * byte, 2 * byte + 1})
      out += static_cast<char>(id[digit] >= 'a' ? id[digit] - 'a' + 'A' : id[digit]);
  return out + "0";
}

void write_meta(const Stacks& stacks, std::string_view name, report::TextBuffer& out) {
  out.text("{\"meta\":{\"interval\":1,\"startTime\":0,\"processType\":0,\"product\":");
  out.text(json_quoted(name));
  out.text(
      ",\"stackwalk\":1,\"debug\":false,\"version\":30,\"preprocessedProfileVersion\":48,"
      "\"symbolicated\":true,\"markerSchema\":[],\"extensions\":{\"length\":0,\"id\":[],"
      "\"name\":[],\"baseURL\":[]},\n\"categories\":[");
  for (bool first = true; auto [category, color] : firefox_categories) {
    if (!first) out.text(',');
    first = false;
    out.text(
        fmt::format(R"({{"name":"{}","color":"{}","subcategories":["Other"]}})", category, color));
  }
  out.text("]},\n\"libs\":[");
  for (bool first = true; const auto& module : stacks.modules) {
    if (!first) out.text(',');
    first = false;
    auto path = json_quoted(module.path), short_name = json_quoted(module.name());
    out.text(
        fmt::format("\n{{\"arch\":\"\",\"name\":{0},\"debugName\":{0},\"path\":{1},"
                    "\"debugPath\":{1},\"breakpadId\":\"{2}\",\"codeId\":{3}}}",
                    short_name, path, breakpad_id(module.build_id),
                    module.build_id.empty() ? "null" : json_quoted(module.build_id)));
  }
  out.text("],\n\"threads\":[");
}

}  // namespace

void write_firefox(const Stacks& stacks, std::string_view name, report::TextBuffer& out) {
  write_meta(stacks, name, out);
  FirefoxThreads threads(stacks, out);
  std::span<const Sample> samples = stacks.samples;
  for (bool first = true; !samples.empty(); first = false) {
    size_t size = 1;
    while (size < samples.size() && samples[size].track == samples[0].track) ++size;
    out.text(first ? "\n" : ",\n");
    threads.write(samples.first(size));
    samples = samples.subspan(size);
  }
  out.text("]}\n");
}

}  // namespace pgokit::stacks
