// Call stacks of a recording or of text, written in all forms: no crash, no hang, JSON that is
// JSON, and the same bytes on one thread and on three.
#include <cstdlib>

#include "base/cursor.h"
#include "report/json.h"
#include "stacks/forms.h"
#include "stacks/read/read.h"

namespace {

using namespace pgokit;

std::string written(Bytes bytes, const stacks::Form& form, unsigned threads) {
  // No process has a program here, whatever the input says of its path.
  auto read = stacks::read_stacks(
      bytes, {.path = "/nonexistent/", .times = form.times, .threads = threads});
  std::string out;
  if (!read) return out;
  const auto& all = read->stacks;
  for (size_t i = 1; i < all.nodes.size(); ++i)
    if (all.nodes[i].parent >= i) std::abort();
  for (const auto& sample : all.samples)
    if (sample.node >= all.nodes.size() || sample.track >= all.tracks.size()) std::abort();
  form.write(all, {.name = "fuzz", .folded = {.marks = true, .addresses = true}},
             [&](std::string_view text) { out += text; });
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const auto& form : stacks::forms()) {
    auto one = written({data, size}, form, 1);
    if (one != written({data, size}, form, 3)) std::abort();
    bool json = form.name == "speedscope" || form.name == "firefox";
    if (json && !one.empty() && !report::is_json(one)) std::abort();
  }
  return 0;
}
