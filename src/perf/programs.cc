#include "perf/programs.h"

#include <algorithm>
#include <tuple>

#include "base/parallel.h"
#include "perf/branch_counts.h"
#include "perf/process_maps.h"

namespace pgokit::perf {
namespace {

// Those in which branches were counted: of a whole run, or where there are no samples.
std::vector<Program> counted_programs(Bytes branch_counts, bool has_samples) {
  auto counted = decode_branch_counts(branch_counts);
  if (!counted || (has_samples && !counted->of_whole_run())) return {};
  std::vector<Program> programs;
  for (const auto& file : counted->files)
    programs.push_back({.path = std::string(file.path), .build_id = hex(file.build_id)});
  for (const auto& branch : counted->branches)
    if (branch.from.file < programs.size()) programs[branch.from.file].samples += branch.count;
  for (auto& program : programs) program.samples /= counted->scale;
  std::erase_if(programs, [](const Program& program) { return program.samples == 0; });
  return programs;
}

}  // namespace

std::vector<Program> find_programs(const Recording& recording, unsigned threads) {
  ProcessMaps maps(recording, ProcessMaps::Kinds::code);
  // Behind the mapped files: what lies in none of them.
  size_t unknown = maps.names().size(), kernel = unknown + 1;
  std::vector<std::vector<u64>> counts(worker_count(threads), std::vector<u64>(unknown + 2));
  std::vector<ReadCounts> ignored(counts.size());
  ReadCounts unpacking;
  recording.for_each_piece(threads, unpacking, [&](const Piece& piece, unsigned worker) {
    const Parser& parser = recording.parser();
    Sample sample;
    RecordWalk walk(piece.records);
    for (Record record; walk.next(record);) {
      if (record.type != RecordType::sample || !parser.sample(record, sample, ignored[worker]) ||
          parser.events()[sample.event].attr.only_of_memory())
        continue;
      bool in_kernel = sample.mode == misc::kernel;
      const auto* mapped =
          maps.find(in_kernel ? ProcessMaps::kernel_pid : sample.pid, sample.ip, sample.time);
      ++counts[worker][mapped ? static_cast<u32>(mapped->name) : in_kernel ? kernel : unknown];
    }
  });
  bool has_samples = std::ranges::any_of(
      counts, [](const auto& part) { return std::ranges::any_of(part, std::identity{}); });
  auto programs = counted_programs(recording.features().branch_counts, has_samples);
  for (size_t i = 0; i < counts[0].size(); ++i) {
    Program program;
    for (const auto& part : counts) program.samples += part[i];
    if (!program.samples) continue;
    program.path = i == unknown ? "[unknown]" : i == kernel ? "[kernel]" : maps.path(NameId(i));
    if (i < unknown) program.build_id = maps.build_id(NameId(i));
    programs.push_back(std::move(program));
  }
  std::sort(programs.begin(), programs.end(), [](const Program& a, const Program& b) {
    return std::tie(b.samples, a.path, a.build_id) < std::tie(a.samples, b.path, b.build_id);
  });
  return programs;
}

}  // namespace pgokit::perf
