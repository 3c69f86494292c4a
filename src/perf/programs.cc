#include "perf/programs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/parallel.h"
#include "base/saturated.h"
#include "perf/branch_counts.h"
#include "perf/process_maps.h"

namespace pgokit::perf {
namespace {

constexpr std::string_view unknown_path = "[unknown]", kernel_path = "[kernel]";

// Where there are no samples, branches stand for them.
void add_counted(const BranchCounts& counted, std::vector<Program>& programs) {
  bool has_samples = !programs.empty();
  std::vector<u64> sums(counted.files.size() + 1);  // the last is of code that no file has
  for (const auto& branch : counted.branches) {
    auto& sum = sums[std::min<size_t>(branch.from.file, counted.files.size())];
    sum = add_saturated(sum, branch.count);
  }
  std::map<std::pair<std::string, std::string>, size_t> places;
  for (size_t i = 0; i < programs.size(); ++i)
    places.emplace(std::pair(programs[i].path, programs[i].build_id), i);
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] < counted.scale) continue;
    auto path = i < counted.files.size() ? counted.files[i].path : unknown_path;
    auto build_id = i < counted.files.size() ? hex(counted.files[i].build_id) : "";
    auto [place, is_new] = places.try_emplace({std::string(path), build_id}, programs.size());
    if (is_new) programs.push_back({.path = std::string(path), .build_id = build_id});
    auto& program = programs[place->second];
    program.branches = add_saturated(program.branches, sums[i]);
    if (!has_samples) program.samples = program.branches / counted.scale;
  }
}

}  // namespace

void Totals::add(const Program& program) {
  samples = add_saturated(samples, program.samples);
  branches = add_saturated(branches, program.branches);
}

double Totals::share(const Program& program) const {
  return all() ? static_cast<double>(part(program)) / static_cast<double>(all()) : 0;
}

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
  std::vector<Program> programs;
  for (size_t i = 0; i < counts[0].size(); ++i) {
    Program program;
    for (const auto& part : counts) program.samples += part[i];
    if (!program.samples) continue;
    program.path = i == unknown  ? unknown_path
                   : i == kernel ? kernel_path
                                 : std::string_view(maps.path(NameId(i)));
    if (i < unknown) program.build_id = maps.build_id(NameId(i));
    programs.push_back(std::move(program));
  }
  if (auto counted = decode_branch_counts(recording.features().branch_counts))
    add_counted(*counted, programs);
  std::ranges::sort(programs, [](const Program& a, const Program& b) {
    return std::tie(b.branches, b.samples, a.path, a.build_id) <
           std::tie(a.branches, a.samples, b.path, b.build_id);
  });
  return programs;
}

}  // namespace pgokit::perf
