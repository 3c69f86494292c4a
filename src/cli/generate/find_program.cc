#include "cli/generate/find_program.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "cli/generate/generation.h"
#include "elf/file.h"
#include "perf/programs.h"
#include "perf/recording.h"
#include "report/numbers.h"
#include "samples/program_match.h"

namespace pgokit::cli {
namespace {

bool is_file(const perf::Program& program) { return program.path.starts_with('/'); }

void add(std::vector<perf::Program>& sums, const perf::Program& program) {
  auto same = [&](const perf::Program& other) {
    return other.path == program.path && other.build_id == program.build_id;
  };
  auto known = std::ranges::find_if(sums, same);
  if (known == sums.end())
    sums.push_back(program);
  else
    known->samples += program.samples;
}

Result<std::vector<perf::Program>> programs_of(const std::vector<std::string>& recordings,
                                               unsigned threads) {
  std::vector<perf::Program> sums;
  for (const auto& path : recordings) {
    auto file = TRY(MappedFile::open(path));
    auto kind = TRY_IN(path, detect_input(file.bytes()));
    if (kind != InputKind::recording)
      return usage_error("-b is needed: {} does not tell which program was recorded", path);
    auto recording = TRY_IN(path, perf::Recording::open(file.bytes(), threads));
    for (const auto& program : perf::find_programs(recording, threads)) add(sums, program);
  }
  std::ranges::stable_sort(sums, std::ranges::greater(), &perf::Program::samples);
  return sums;
}

std::vector<std::string> places_of(const perf::Program& program, const std::string& recording) {
  std::string name(samples::file_name(program.path));
  std::vector<std::string> places{program.path,
                                  recording.substr(0, recording.rfind('/') + 1) + name, name};
  const char* home = std::getenv("HOME");
  const auto& id = program.build_id;
  if (home && id.size() > 2)
    places.push_back(
        fmt::format("{}/.debug/.build-id/{}/{}/elf", home, id.substr(0, 2), id.substr(2)));
  return places;
}

enum class Verdict { none, other_build, this_one };

Verdict judge(const std::string& place, const std::string& build_id) {
  if (access(place.c_str(), R_OK) != 0) return Verdict::none;
  auto file = MappedFile::open(place);
  if (!file) return Verdict::none;
  auto elf = elf::File::parse(file->bytes());
  if (!elf) return Verdict::none;
  auto id = elf::hex(elf->build_id());
  bool same =
      id.empty() || build_id.empty() || id.starts_with(build_id) || build_id.starts_with(id);
  return same ? Verdict::this_one : Verdict::other_build;
}

}  // namespace

Result<std::string> dominant_program(const std::vector<std::string>& recordings, unsigned threads) {
  auto programs = TRY(programs_of(recordings, threads));
  auto first = std::ranges::find_if(programs, is_file);
  if (first == programs.end())
    return fail("{}: no program is known in it; give one with -b", recordings[0]);
  bool other_build = false;
  for (const auto& place : places_of(*first, recordings[0])) {
    auto verdict = judge(place, first->build_id);
    if (verdict == Verdict::this_one) return place;
    other_build |= verdict == Verdict::other_build;
  }
  u64 all = 0;
  for (const auto& program : programs) all += program.samples;
  return fail("{}: {} of its samples are in {}{}, {}; give the program with -b", recordings[0],
              report::percent(first->samples, all), first->path,
              first->build_id.empty() ? "" : " (build id " + first->build_id + ")",
              other_build ? "which has been built anew since" : "which is not here");
}

}  // namespace pgokit::cli
