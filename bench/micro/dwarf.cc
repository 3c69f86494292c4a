// Reading debug information: of the program PGOKIT_BENCH_PROGRAM.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

#include "base/file.h"
#include "dwarf/debug_info.h"

namespace pgokit::dwarf {
namespace {

struct Program {
  MappedFile mapped;
  object::File file;
  DebugInfo info;
  std::vector<FunctionRange> functions;
};

Result<std::unique_ptr<Program>> load() {
  const char* path = std::getenv("PGOKIT_BENCH_PROGRAM");
  if (!path) return fail("PGOKIT_BENCH_PROGRAM is not set");
  auto mapped = TRY(MappedFile::open(path));
  auto file = TRY(object::File::parse(mapped.bytes()));
  auto info = TRY(DebugInfo::load(file, {.path = path, .threads = 1}));
  auto functions = info.functions();
  return std::make_unique<Program>(std::move(mapped), std::move(file), std::move(info),
                                   std::move(functions));
}

std::unique_ptr<Program> load_or_skip(benchmark::State& state) {
  auto program = load();
  if (program) return std::move(*program);
  state.SkipWithError(program.error().message.c_str());
  return nullptr;
}

void count_bytes(benchmark::State& state, const Program& program) {
  const auto* info = program.file.section(".debug_info");
  state.SetBytesProcessed(static_cast<i64>(state.iterations() * (info ? info->size : 0)));
}

// Names and addresses of all functions, on one core.
void list_functions(benchmark::State& state) {
  auto program = load_or_skip(state);
  for (auto _ : state) {
    auto fresh = DebugInfo::load(program->file, {.path = program->mapped.path(), .threads = 1});
    benchmark::DoNotOptimize(fresh->functions());
  }
  if (program) count_bytes(state, *program);
}
BENCHMARK(list_functions)->Unit(benchmark::kMillisecond);

// One address of every function, none of which was read before.
void first_frames(benchmark::State& state) {
  auto program = load_or_skip(state);
  for (auto _ : state) {
    auto fresh = DebugInfo::load(program->file, {.path = program->mapped.path(), .threads = 1});
    FrameCursor cursor(*fresh);
    for (const auto& function : program->functions)
      benchmark::DoNotOptimize(cursor.at(function.begin));
  }
  if (program) count_bytes(state, *program);
}
BENCHMARK(first_frames)->Unit(benchmark::kMillisecond);

// All code of the program, part by part.
void walk_frames(benchmark::State& state) {
  auto program = load_or_skip(state);
  i64 parts = 0;
  for (auto _ : state) {
    FrameCursor cursor(program->info);
    for (const auto& function : program->functions)
      for (u64 at = function.begin; at < function.end; ++parts) at = cursor.at(at).end;
  }
  state.SetItemsProcessed(parts);
}
BENCHMARK(walk_frames)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pgokit::dwarf

BENCHMARK_MAIN();
