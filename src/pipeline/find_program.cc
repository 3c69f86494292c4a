#include "pipeline/find_program.h"

#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "object/file.h"
#include "perf/programs.h"
#include "perf/recording.h"
#include "pipeline/input_checks.h"
#include "pipeline/inputs.h"
#include "report/numbers.h"
#include "samples/program_match.h"
#include "samples/program_places.h"

namespace pgokit::pipeline {
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
                                               unsigned threads, std::string& cut_short) {
  std::vector<perf::Program> sums;
  for (const auto& path : recordings) {
    auto file = TRY(MappedFile::open(path));
    const auto* kind = TRY_IN(path, identify_counts(file.bytes()));
    if (kind == &inputs::counters)
      return usage_error("-b is needed: which of the programs in {} the profile is to be of", path);
    if (kind != &inputs::recording)
      return usage_error("-b is needed: {} does not tell which program was recorded", path);
    auto recording = TRY_IN(path, perf::Recording::open(file.bytes(), threads));
    if (cut_short.empty()) cut_short = recording.ending().why;
    for (const auto& program : perf::find_programs(recording, threads)) add(sums, program);
  }
  std::ranges::stable_sort(sums, std::ranges::greater(), &perf::Program::samples);
  return sums;
}

// Why generate could not make a profile of it.
std::string_view lack_of(const object::File& file) {
  if (!file.has_symtab()) return "which is stripped";
  bool probes = file.section(".pseudo_probe") && file.section(".pseudo_probe_desc");
  bool debug = file.section(".debug_info") || file.section(".zdebug_info");
  return probes || debug ? "" : "which has neither debug information nor probes";
}

// A usable file of that build goes before one that only is of that build.
RecordedProgram look_for(const perf::Program& program, const std::string& recording) {
  RecordedProgram found{program, "", "which is not here"};
  if (found.is_generated()) {
    found.obstacle = "which is code generated at run time and cannot be profiled";
    return found;
  }
  for (const auto& place : samples::places_of(program.path, program.build_id, recording)) {
    if (access(place.c_str(), R_OK) != 0) continue;
    auto image = MappedFile::open(place);
    if (!image) continue;
    auto elf = object::File::parse(image->bytes());
    if (!elf) continue;
    auto id = object::hex(elf->build_id());
    bool same = samples::is_same_build(id, program.build_id);
    if (!same && found.file.empty()) found.obstacle = "which has been built anew since";
    if (!same) continue;
    auto lack = lack_of(*elf);
    if (found.file.empty() || lack.empty()) found.file = place, found.obstacle = lack;
    if (lack.empty()) break;
  }
  return found;
}

std::string describe(const RecordedProgram& found, u64 samples) {
  const auto& [path, build_id, own] = found.program;
  return fmt::format("{} of {} {} in {}{}, {}", report::percent(own, samples),
                     report::counted(samples, "sample"), samples == 1 ? "is" : "are", path,
                     build_id.empty() ? "" : " (build id " + build_id + ")", found.obstacle);
}

std::string_view remedy(const RecordedProgram& program) {
  if (program.is_generated()) return "";
  if (program.file.empty()) return "; give the program with -b";
  return "; give a file of that build with symbols and debug information with -b";
}

}  // namespace

bool RecordedProgram::is_generated() const {
  return program.path == "//anon" || program.path.starts_with("/memfd:");
}

bool RecordedProgram::is_system_library() const {
  constexpr std::string_view folders[] = {"/lib/",       "/lib32/",     "/lib64/",
                                          "/libx32/",    "/usr/lib/",   "/usr/lib32/",
                                          "/usr/lib64/", "/usr/libx32/"};
  return std::ranges::any_of(folders, [&](auto each) { return program.path.starts_with(each); }) &&
         samples::file_name(program.path).contains(".so");
}

const RecordedProgram* RecordedPrograms::missed() const {
  constexpr u64 least_percent = 5;  // of the samples; less is not worth a word
  if (list.empty()) return nullptr;
  auto of_user = std::ranges::find_if(list, [&](const RecordedProgram& one) {
    return !one.is_system_library() && one.program.samples * 100 >= samples * least_percent;
  });
  const auto& wanted = of_user == list.end() ? list.front() : *of_user;
  if (wanted.usable()) return nullptr;
  bool other = wanted.is_system_library() && std::ranges::any_of(list, &RecordedProgram::usable);
  return other ? nullptr : &wanted;
}

Result<RecordedPrograms> recorded_programs(const std::vector<std::string>& recordings,
                                           unsigned threads) {
  constexpr size_t most = 16;  // each is a file to be looked into
  RecordedPrograms all;
  auto programs = TRY(programs_of(recordings, threads, all.cut_short));
  for (const auto& program : programs) {
    all.samples += program.samples;
    if (is_file(program) && all.list.size() < most)
      all.list.push_back(look_for(program, recordings[0]));
  }
  return all;
}

Result<ChosenProgram> dominant_program(const std::vector<std::string>& recordings,
                                       unsigned threads) {
  auto programs = TRY(recorded_programs(recordings, threads));
  if (programs.samples == 0)
    return fail("{}: {}{}", recordings[0], not_whole(programs.cut_short), samples::no_samples);
  if (programs.list.empty())
    return fail("{}: no program is known in it; give one with -b", recordings[0]);
  const auto* missed = programs.missed();
  auto chosen = std::ranges::find_if(programs.list, &RecordedProgram::usable);
  if (chosen == programs.list.end())
    return fail("{}: {}{}", recordings[0], describe(*missed, programs.samples), remedy(*missed));
  ChosenProgram result{chosen->file, ""};
  if (missed) result.passed_over = describe(*missed, programs.samples);
  return result;
}

}  // namespace pgokit::pipeline
