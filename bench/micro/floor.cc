// Reading samples on one core: pgokit beside the least that any program has to do. The recording is
// PGOKIT_BENCH_RECORDING, its text PGOKIT_BENCH_SCRIPT, both of the program PGOKIT_BENCH_PROGRAM.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

#include "base/file.h"
#include "base/flat_map.h"
#include "perf/recording.h"
#include "perf/script.h"
#include "samples/recording_counts.h"
#include "samples/script_counts.h"

namespace pgokit::samples {
namespace {

struct Input {
  MappedFile file;
  program::Program program;
};

Result<std::unique_ptr<Input>> load(const char* variable) {
  const char* path = std::getenv(variable);
  const char* program_path = std::getenv("PGOKIT_BENCH_PROGRAM");
  if (!path || !program_path) return fail("{} and PGOKIT_BENCH_PROGRAM are to be set", variable);
  auto program = TRY(program::Program::open(program_path, {}));
  return std::make_unique<Input>(TRY(MappedFile::open(path)), std::move(program));
}

// Calls `work`, which gives what must not be optimized away or an error, again and again.
template <class Work>
void measure(benchmark::State& state, const char* variable, const Work& work) {
  auto input = load(variable);
  if (!input) return state.SkipWithError(input.error().message.c_str());
  for (auto _ : state) {
    auto found = work(**input);
    if (!found) return state.SkipWithError(found.error().message.c_str());
    benchmark::DoNotOptimize(*found);
  }
  auto bytes = (*input)->file.bytes().size();
  state.SetBytesProcessed(static_cast<i64>(state.iterations() * bytes));
}

// Each branch of each sample is hashed once; nobody asks where it is, and what ran between two.
Result<size_t> hash_branches(const Input& input) {
  auto recording = TRY(perf::Recording::open(input.file.bytes(), 1));
  FlatMap<u64> counts;
  perf::ReadCounts unreadable;
  recording.for_each_piece(1, unreadable, [&](const perf::Piece& piece, unsigned) {
    perf::RecordWalk walk(piece.records);
    perf::Sample sample;
    auto key = [](const perf::BranchEntry& entry) { return entry.from << 32 ^ entry.to; };
    for (perf::Record record; walk.next(record);) {
      if (record.type != perf::RecordType::sample) continue;
      if (!recording.parser().sample(record, sample, unreadable)) continue;
      for (const auto& entry : sample.branches) counts.prefetch(key(entry));
      for (const auto& entry : sample.branches) ++counts[key(entry)];
    }
  });
  return counts.size();
}

void recording_floor(benchmark::State& state) {
  measure(state, "PGOKIT_BENCH_RECORDING", hash_branches);
}
BENCHMARK(recording_floor)->Unit(benchmark::kMillisecond);

// Ranges and branches of the program, in order.
void recording_counted(benchmark::State& state) {
  measure(state, "PGOKIT_BENCH_RECORDING", [](const Input& input) -> Result<u64> {
    auto recording = TRY(perf::Recording::open(input.file.bytes(), 1));
    auto read = TRY(count_recording(recording, input.program, {.threads = 1}));
    return read.use.samples();
  });
}
BENCHMARK(recording_counted)->Unit(benchmark::kMillisecond);

// Takes the addresses and does nothing with them.
struct ScannedSum {
  void mmap(const perf::MmapLine&) {}
  void begin_sample(u64 repeat) { sum += repeat; }
  bool frame(u64 address) { return sum += address, true; }
  bool end_of_frames() { return true; }
  void branch(u64 from, u64 to) { sum += from ^ to; }
  void end_sample() {}
  void bad_branch(u64, std::string_view) {}
  void no_branch_line() {}
  u64 sum = 0;
};

void text_scanned(benchmark::State& state) {
  measure(state, "PGOKIT_BENCH_SCRIPT", [](const Input& input) -> Result<u64> {
    ScannedSum sink;
    auto text = as_text(input.file.bytes());
    auto counts = perf::parse_script(text, perf::detect_text(text), sink);
    return sink.sum + counts.samples;
  });
}
BENCHMARK(text_scanned)->Unit(benchmark::kMillisecond);

void text_counted(benchmark::State& state) {
  measure(state, "PGOKIT_BENCH_SCRIPT", [](const Input& input) -> Result<u64> {
    auto read = TRY(count_script(as_text(input.file.bytes()), input.program, {.threads = 1}));
    return read.begun;
  });
}
BENCHMARK(text_counted)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pgokit::samples

BENCHMARK_MAIN();
