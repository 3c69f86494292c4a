#include "cli/llvm/converters.h"

#include "base/cursor.h"
#include "base/file.h"
#include "base/leak_until_exit.h"
#include "cli/views/generation.h"
#include "report/print.h"
#include "samples/program_match.h"

namespace pgokit::cli {
namespace {

class Checks : public pipeline::Traveller {
 public:
  explicit Checks(bool lists_symbols) : lists_symbols_(lists_symbols) {}

 private:
  Status read(pipeline::Road& road) override { return check_input(road); }
  Status made(pipeline::Road& road) override {
    if (lists_symbols_)
      for (const auto& range : road.program->functions().ranges())
        road.generated.profile.symbols.intern(road.program->functions().name(range.function));
    return check_generated(road);
  }

  bool lists_symbols_;
};

}  // namespace

Result<std::vector<std::string>> recordings_of(const std::string& profile) {
  if (!profile.starts_with('@')) return std::vector{profile};
  auto path = profile.substr(1);
  auto file = TRY(MappedFile::open(path));
  std::vector<std::string> recordings;
  for (auto text = as_text(file.bytes()); !text.empty();) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t'))
      line.remove_suffix(1);
    if (!line.empty()) recordings.emplace_back(line);
  }
  if (recordings.empty()) return fail("{}: it names no recordings: one on each line", path);
  return recordings;
}

bool is_kernel(std::string_view binary) {
  return binary.substr(binary.rfind('/') + 1).starts_with("vmlinux");
}

Status use_recorded_name(const std::string& name, pipeline::RoadOptions& road) {
  if (name.empty()) return {};
  if (name.starts_with('[')) {
    road.read.kernel = true;
    return {};
  }
  if (samples::file_name(name) == samples::file_name(road.binary)) {
    road.read.ignore_build_id = true;
    return {};
  }
  auto file = TRY(MappedFile::open(road.binary));
  auto object = TRY_IN(road.binary, object::File::parse(file.bytes()));
  if (!object.build_id().empty()) return {};
  return fail(
      "--profiled_binary_name={}: {} has no build id to find it by: link or copy it to a file "
      "of that name, and give that",
      name, road.binary);
}

Status convert(Conversion&& conversion) {
  auto& road = leak_until_exit(pipeline::Road(std::move(conversion.road)));
  Checks checks(conversion.lists_symbols);
  TRY(road.run(checks));
  print_summary(road);
  return {};
}

}  // namespace pgokit::cli
