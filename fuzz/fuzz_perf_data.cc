// Reads a recording in all ways there are, and watches the memory that the reader asks for.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "perf/programs.h"
#include "perf/summary.h"

namespace {

size_t live = 0, peak = 0;

void* take(size_t size) {
  void* memory = std::malloc(size);
  if (!memory) std::abort();
  live += malloc_usable_size(memory);
  if (live > peak) peak = live;
  return memory;
}

void give_back(void* memory) {
  if (!memory) return;
  live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return take(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return take(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, size_t) noexcept { give_back(memory); }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pgokit::perf;
  size_t before = peak = live;
  auto recording = Recording::open({data, size});
  if (!recording) return 0;
  auto summary = summarize(*recording, 1);
  // Unpacked records are bounded by themselves: a batch of pieces.
  size_t allowed = 4 * size + (1 << 20) + (recording->is_compressed() ? size_t(32) << 20 : 0);
  if (peak - before > allowed) {
    std::fprintf(stderr, "%zu bytes for an input of %zu\n", peak - before, size);
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
  pgokit::u64 in_programs = 0;
  for (const auto& program : find_programs(*recording, 1)) in_programs += program.samples;
  if (in_programs != summary.samples) std::abort();
  return 0;
}
