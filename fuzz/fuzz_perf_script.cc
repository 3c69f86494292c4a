// Both kinds of script, whole and cut into chunks: the same has to come out.
#include <cstdlib>

#include "base/cursor.h"
#include "perf/script.h"

namespace {

using namespace pgokit;

// A hash of everything that is said.
struct Listener {
  u64 hash = 0, mappings = 0;

  void add(u64 value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15 + 1; }
  void mmap(const perf::MmapLine& line) { add(line.start + line.parsed), ++mappings; }
  bool enter(std::optional<u32> pid) { return add(pid.value_or(1)), hash % 3 != 0; }
  void skip_sample(u64 repeat) { add(repeat), add(5); }
  void begin_sample(u64 repeat) { add(repeat); }
  bool frame(u64 address) { return add(address), address % 7 != 0; }
  bool end_of_frames() { return add(2), hash % 5 != 0; }
  void branch(u64 from, u64 to) { add(from), add(to); }
  void end_sample() { add(3); }
  void bad_branch(u64, std::string_view text) { add(text.size()); }
  void no_branch_line() { add(4); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text = as_text({data, size});
  if (perf::detect_text(text) == perf::ScriptKind::invalid) (void)perf::script_problem(text);
  (void)perf::detect_script(text);
  using enum perf::ScriptKind;
  for (auto kind : {branches, hybrid, columns, column_chains}) {
    u64 found = 0;
    auto rule =
        perf::has_columns(kind) ? perf::MmapRule::with_columns : perf::MmapRule::llvm_profgen;
    perf::for_each_mmap_line(text, rule, [&](const perf::MmapLine&) { ++found; });
    Listener whole, pieces;
    auto counts = perf::parse_script(text, kind, whole);
    perf::ScriptCounts sum;
    for (auto chunk : perf::split_script(text, kind, 1 + size / 5)) {
      auto part = perf::parse_script(chunk, kind, pieces);
      sum.lines += part.lines;
      sum.samples += part.samples;
    }
    if (whole.hash != pieces.hash || counts.lines != sum.lines || counts.samples != sum.samples)
      std::abort();
    if (whole.mappings > found) std::abort();
    perf::for_each_event_line(text,
                              [](std::string_view line) { (void)perf::parse_task_line(line); });
  }
  return 0;
}
