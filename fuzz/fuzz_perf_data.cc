// Reads a recording in all ways there are, and watches the memory that the reader asks for.
#include <cstdio>
#include <cstdlib>

#include "opened_program.h"
#include "perf/branch_contexts.h"
#include "perf/programs.h"
#include "perf/recording_sum.h"
#include "perf/summary.h"
#include "samples/memory_use.h"
#include "test/support/memory_watch.h"

namespace {

using namespace pgokit::perf;

// Of a recording that has these counts.
void read_contexts(pgokit::Bytes bytes) {
  static const BranchCounts counts = [] {
    BranchCounts some;
    some.files = {{"/bin/app", {}}, {"/lib/a.so", {}}};
    for (pgokit::u64 at = 0; at < 1000; ++at) some.branches.push_back({{0, at}, {1, at}, 1});
    return some;
  }();
  auto contexts = decode_branch_contexts(bytes, counts);
  if (!contexts) return;
  if (contexts->nodes.size() + contexts->steps.size() > bytes.size()) std::abort();
  for (pgokit::u32 i = 1; i < contexts->nodes.size(); ++i)
    if (contexts->nodes[i].parent >= i) std::abort();
  auto again = encode(*contexts, counts);
  auto same = decode_branch_contexts(pgokit::as_bytes(again), counts);
  if (!same || same->steps != contexts->steps || same->nodes != contexts->nodes) std::abort();
}

// A recording is the half of twice itself, whatever it counts.
void add_up(const Recording& recording) {
  auto counts = decode_branch_counts(recording.features().branch_counts);
  RecordingSum sum, twice;
  if (!counts || !sum.add(recording, *counts, 2)) return;
  auto more = twice.add(recording, *counts, 1) && twice.add(recording, *counts, 1);
  if (!more || sum.sums().branches != twice.sums().branches) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (auto counts = decode_branch_counts({data, size}); counts && counts->branches.size() > size)
    std::abort();
  read_contexts({data, size});
  size_t before = memory_watch::start();
  auto recording = Recording::open({data, size});
  if (!recording) return 0;
  auto summary = summarize(*recording, 1);
  // Unpacked records are bounded by themselves: a batch of pieces.
  size_t allowed = 4 * size + (1 << 20) + (recording->is_compressed() ? size_t(32) << 20 : 0);
  if (memory_watch::most() - before > allowed) {
    std::fprintf(stderr, "%zu bytes for an input of %zu\n", memory_watch::most() - before, size);
    std::abort();
  }
  pgokit::u64 samples = 0;
  for (const auto& event : summary.events) samples += event.samples;
  if (samples != summary.samples) std::abort();
  pgokit::u64 others = 0;
  recording->for_each_other(
      [&](const Record& record) { others += record.type != RecordType::sample; });
  if (!recording->is_compressed() &&
      others + summary.types.of(RecordType::sample) != summary.types.total())
    std::abort();
  pgokit::u64 of_branches = 0, of_memory = 0;
  for (size_t i = 0; i < summary.events.size(); ++i) {
    const auto& attr = recording->events()[i].attr;
    (attr.only_of_memory() ? of_memory : of_branches) += summary.events[i].samples;
  }
  pgokit::u64 in_programs = 0;
  for (const auto& program : find_programs(*recording, 1)) in_programs += program.samples;
  bool counted = !recording->features().branch_counts.empty();
  if (!counted && in_programs != of_branches) std::abort();
  if (of_branches + of_memory != summary.samples) std::abort();
  auto use = pgokit::samples::memory_use(
      *recording, [](auto, auto) { return &pgokit::fuzz::opened_program().file(); });
  pgokit::u64 in_data = 0;
  for (const auto& one : use.data) in_data += one.sums.samples;
  if (use.all.samples != in_data || in_data > summary.samples) std::abort();
  add_up(*recording);
  return 0;
}
