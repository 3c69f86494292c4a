#include "pipeline/several_programs.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/file.h"
#include "bolt/functions.h"
#include "pipeline/find_program.h"
#include "pipeline/input_checks.h"
#include "report/numbers.h"
#include "samples/program_match.h"

namespace pgokit::pipeline {
namespace {

// Why the output cannot be made of it; empty: it can.
std::string obstacle_of(const RecordedProgram& program, const Output& output) {
  if (output.needs != Output::Needs::traces || program.file.empty()) return program.obstacle;
  auto image = MappedFile::open(program.file);
  if (!image) return image.error().message;
  auto file = object::File::parse(image->bytes());
  if (!file) return file.error().message;
  auto status = bolt::check_program(*file);
  return status ? "" : status.error().message;
}

}  // namespace

Result<ChosenPrograms> all_programs(const std::vector<std::string>& recordings,
                                    const Output& output, unsigned threads) {
  auto recorded = TRY(recorded_programs(recordings, threads));
  if (recorded.all.samples == 0)
    return fail("{}: {}", recordings[0], nothing_in(recorded.cut_short));
  ChosenPrograms chosen;
  for (const auto& one : recorded.list) {
    auto obstacle = obstacle_of(one, output);
    if (obstacle.empty())
      chosen.files.push_back(one.file);
    else
      chosen.left_out.push_back(fmt::format("left out {} ({} of the {}){} {}", one.program.path,
                                            report::as_percent(recorded.all.share(one.program)),
                                            recorded.counted             ? "counts"
                                            : recorded.all.by_branches() ? "branches"
                                                                         : "samples",
                                            obstacle.starts_with("which ") ? "," : ":", obstacle));
  }
  if (!chosen.files.empty()) return chosen;
  if (chosen.left_out.empty())
    return fail("{}: no program is known in it; give one with -b", recordings[0]);
  return fail("{}: {}; give programs with -b", recordings[0], chosen.left_out[0]);
}

Result<std::string> path_for(const std::string& pattern, std::string_view program_path,
                             const Output& output) {
  bool single = output.endings.size() == 1;  // else the road adds the endings
  return path_for(pattern, program_path, single ? output.ending : "");
}

Result<OutputFolder> folder_for(const std::string& pattern) {
  if (!pattern.ends_with('/')) return OutputFolder();
  return OutputFolder::create(pattern);
}

Status check_distinct(std::span<const std::string> paths) {
  std::set<std::string_view> seen;
  for (const auto& path : paths)
    if (!seen.insert(path).second)
      return usage_error("{} would be written for two programs of that name: make them one by one",
                         path);
  return {};
}

Result<std::string> path_for(const std::string& pattern, std::string_view program_path,
                             std::string_view ending) {
  std::string name(samples::file_name(program_path));
  auto with_ending = fmt::format("{}{}", name, ending);
  if (pattern.empty()) return with_ending;
  if (pattern.ends_with('/')) return pattern + with_ending;
  size_t at = pattern.find("%n");
  if (at == pattern.npos)
    return usage_error(
        "-o {}: several programs want several files: give a folder (-o FOLDER/), or a name in "
        "which %n is the program's",
        pattern);
  std::string path;
  size_t done = 0;
  for (; at != pattern.npos; at = pattern.find("%n", done)) {
    path += pattern.substr(done, at - done) + name;
    done = at + 2;
  }
  return path + pattern.substr(done);
}

Status run_together(std::deque<Road>& roads, Traveller& traveller) {
  std::vector<std::string> paths;
  for (const auto& road : roads) paths.push_back(road.options.output_path);
  TRY(check_distinct(paths));
  for (auto& road : roads) TRY(road.open());
  std::vector<const program::Program*> programs;
  for (auto& road : roads) programs.push_back(&*road.program);
  SharedReading shared(std::move(programs));
  std::vector<PendingOutput> outputs;
  std::optional<Error> why_none;
  for (auto& road : roads) {
    road.options.read.shared = &shared;
    auto status = road.travel(traveller);
    road.options.read.shared = nullptr;
    if (status) {
      std::ranges::move(road.pending(), std::back_inserter(outputs));
      continue;
    }
    if (!why_none) why_none = status.error();
    road.left_out = true;
    TRY(traveller.failed(road, std::move(status).error()));
  }
  if (outputs.empty() && why_none) return std::unexpected(std::move(*why_none));
  return commit_together(outputs);
}

}  // namespace pgokit::pipeline
