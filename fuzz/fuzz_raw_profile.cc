#include <cstdlib>

#include "base/cursor.h"
#include "samples/autofdo_text.h"
#include "samples/raw_profile.h"
#include "test/support/tiny_program.h"
#include "unwind/contexts/raw_contexts.h"

using namespace pgokit;

namespace {

constexpr BinaryAddr base{0x401000};

struct Tiny {
  std::string image = test::tiny_program().image();
  object::File file = *object::File::parse(as_bytes(image));
  program::CodeSymbols symbols{file};
  program::CodeMap code = *program::CodeMap::build(file, symbols);
};

void read_flat(std::string_view text) {
  auto counts = samples::read_raw_profile(text, base);
  if (!counts) return;
  // What was read is written and read again as the same.
  auto again = samples::read_raw_profile(samples::write_raw_profile(*counts, base), base);
  if (!again || *again != *counts) abort();
}

void read_contexts(std::string_view text, unwind::ContextCounts::Kind kind) {
  static const Tiny tiny;
  auto read = unwind::read_raw_contexts(text, kind, tiny.code, base);
  if (!read) return;
  const auto& counts = read->counts;
  size_t ranges = 0, branches = 0;
  for (size_t i = 0; i < counts.size(); ++i)
    ranges += counts.ranges(i).size(), branches += counts.branches(i).size();
  if (ranges != counts.touched_ranges().size() || branches != counts.touched_branches().size())
    abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text = as_text({data, size});
  (void)samples::looks_like_raw_profile(text);
  (void)unwind::looks_like_raw_contexts(text);
  (void)samples::looks_like_autofdo_text(text);
  if (auto all = samples::read_autofdo_text(text)) [[maybe_unused]]
    auto counts = samples::autofdo_counts_of(*std::move(all), "tool", "3f01", false);
  read_flat(text);
  read_contexts(text, unwind::ContextCounts::Kind::probes);
  read_contexts(text, unwind::ContextCounts::Kind::lines);
  return 0;
}
