#include "pipeline/find_program.h"

#include <unistd.h>

#include <algorithm>
#include <ranges>

#include "base/cursor.h"
#include "base/file.h"
#include "base/saturated.h"
#include "instrument/dump.h"
#include "instrument/facts.h"
#include "instrument/map.h"
#include "instrument/profile_file.h"
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
  if (known == sums.end()) return sums.push_back(program);
  known->samples = add_saturated(known->samples, program.samples);
  known->branches = add_saturated(known->branches, program.branches);
}

// Of counters. More than these are nobody's, and each is compared with all others.
constexpr size_t most_counted = 64;

void add_counted(std::vector<perf::Program>& sums, const instrument::Profile& profile) {
  for (const auto& module : profile.modules) {
    if (!module.has_map() || module.data.dumps == 0 || sums.size() == most_counted) continue;
    // Where no executions were counted, runs.
    u64 counts = std::max(instrument::facts_of(module).work, module.data.dumps);
    add(sums, {module.path, object::hex(as_bytes(module.build_id)), counts});
  }
}

void add_dumped(std::vector<perf::Program>& sums, Bytes dumps) {
  instrument::DumpReader reader(dumps);
  for (auto dump = reader.next(); dump && sums.size() < most_counted; dump = reader.next())
    add(sums, {std::string(dump->path), object::hex(as_bytes(dump->build_id)), 1});
}

struct Sums {
  std::vector<perf::Program> programs;  // those with the largest shares first
  std::string cut_short;
  bool counted = false, dumped = false;  // by instrumented programs; and not merged yet
};

Result<Sums> programs_of(const std::vector<std::string>& recordings, unsigned threads) {
  Sums sums;
  bool all_counted = true;
  for (const auto& path : recordings) {
    auto file = TRY(MappedFile::open(path));
    const auto* kind = TRY_IN(path, identify_counts(file.bytes()));
    if (kind == &inputs::counters) {
      add_counted(sums.programs, TRY_IN(path, instrument::read_profile(file.bytes())));
      sums.counted = true;
      continue;
    }
    if (kind == &inputs::counter_dumps) {
      add_dumped(sums.programs, file.bytes());
      sums.counted = sums.dumped = true;
      continue;
    }
    if (kind != &inputs::recording)
      return usage_error("-b is needed: {} does not tell which program was recorded", path);
    auto recording = TRY_IN(path, perf::Recording::open(file.bytes(), threads));
    if (sums.cut_short.empty()) sums.cut_short = recording.damage();
    perf::Totals of_recording;
    for (const auto& program : perf::find_programs(recording, threads)) {
      add(sums.programs, program);
      of_recording.add(program);
    }
    all_counted &= of_recording.by_branches() || of_recording.samples == 0;
  }
  // Samples of others do not add up with branches.
  if (!all_counted)
    for (auto& program : sums.programs) program.branches = 0;
  std::ranges::stable_sort(sums.programs, std::ranges::greater(), [](const auto& program) {
    return std::pair(program.branches, program.samples);
  });
  return sums;
}

// Why generate could not make a profile of it.
std::string_view lack_of(const object::File& file) {
  if (!file.has_symtab()) return "which is stripped";
  bool probes = file.section(".pseudo_probe") && file.section(".pseudo_probe_desc");
  bool debug = file.section(".debug_info") || file.section(".zdebug_info");
  return probes || debug ? "" : "which has neither debug information nor probes";
}

// A usable file of that build goes before one that only is of that build. `dumped`: it has to have
// the map of its counters.
RecordedProgram look_for(const perf::Program& program, const std::string& recording, bool dumped) {
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
    auto lack =
        dumped && !instrument::has_map(*elf) ? "which has no map of its counters" : lack_of(*elf);
    if (found.file.empty() || lack.empty()) found.file = place, found.obstacle = lack;
    if (lack.empty()) break;
  }
  return found;
}

std::string describe(const RecordedProgram& found, const perf::Totals& all) {
  const auto& program = found.program;
  return fmt::format("{} of {} {} in {}{}, {}", report::as_percent(all.share(program)),
                     all.by_branches() ? "the branches" : report::counted(all.samples, "sample"),
                     all.all() == 1 ? "is" : "are", program.path,
                     program.build_id.empty() ? "" : " (build id " + program.build_id + ")",
                     found.obstacle);
}

// Counters are of programs that are named, the usual one with its libraries: none of them is more
// wanted than the others.
Result<ChosenProgram> only_counted(const RecordedPrograms& programs, const std::string& path) {
  if (programs.list.size() > 1) {
    constexpr size_t most = 3;
    std::string names;
    for (const auto& one : programs.list | std::views::take(most))
      names += (names.empty() ? "" : ", ") + one.program.path;
    return usage_error(
        "-b is needed: {} is of {}{}: give one or several of them, or all by --all-programs (with "
        "-o FOLDER/)",
        path, names, programs.list.size() > most ? ", ..." : "");
  }
  const auto& only = programs.list[0];
  if (only.usable()) return ChosenProgram{only.file, ""};
  return fail(
      "{}: it is of {}, {}: give a file of that build with symbols and debug information "
      "with -b",
      path, only.program.path, only.obstacle);
}

// None of them can be made a profile of, and any may be the one that is wanted.
std::string describe_missed(const RecordedPrograms& programs) {
  constexpr size_t most = 3;
  const auto* first = programs.missed();
  std::string text = describe(*first, programs.all);
  size_t told = 1;
  for (const auto& one : programs.list) {
    if (&one == first || one.is_system_library() || told == most) continue;
    if (!programs.is_hot(one)) break;  // those with the largest shares come first
    text += fmt::format("; {} in {}, {}", report::as_percent(programs.all.share(one.program)),
                        one.program.path, one.obstacle);
    ++told;
  }
  return text;
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
         samples::is_library(program.path);
}

bool RecordedPrograms::is_hot(const RecordedProgram& program) const {
  constexpr double least = 0.05;
  return all.share(program.program) >= least;
}

const RecordedProgram* RecordedPrograms::missed() const {
  if (list.empty()) return nullptr;
  auto of_user = std::ranges::find_if(
      list, [&](const RecordedProgram& one) { return !one.is_system_library() && is_hot(one); });
  const auto& wanted = of_user == list.end() ? list.front() : *of_user;
  if (wanted.usable()) return nullptr;
  constexpr double nearly_all = 0.5;  // of which a program with a few percent must not hide that
  bool other = wanted.is_system_library() && std::ranges::any_of(list, &RecordedProgram::usable);
  return other && all.share(wanted.program) < nearly_all ? nullptr : &wanted;
}

Result<RecordedPrograms> recorded_programs(const std::vector<std::string>& recordings,
                                           unsigned threads) {
  constexpr size_t most = 16;  // each is a file to be looked into
  RecordedPrograms all;
  auto sums = TRY(programs_of(recordings, threads));
  all.cut_short = std::move(sums.cut_short);
  all.counted = sums.counted;
  for (const auto& program : sums.programs) {
    all.all.add(program);
    // A map may have been taken out of a file that was named by its place in some folder.
    bool named = is_file(program) || (sums.counted && !program.path.empty());
    if (named && all.list.size() < most)
      all.list.push_back(look_for(program, recordings[0], sums.dumped));
  }
  if (all.counted && all.list.empty())
    return fail(
        "{}: no program with counts is in it: 'pgokit merge PROGRAM.map DUMPS -o app.mip' adds "
        "what "
        "runs have written",
        recordings[0]);
  return all;
}

std::string what_ran(const std::vector<perf::Program>& programs) {
  constexpr size_t most = 3;
  perf::Totals all;
  for (const auto& one : programs) all.add(one);
  std::string list;
  for (const auto& one : programs | std::views::take(most))
    list += fmt::format("{}{} of it is in {}{}", list.empty() ? "" : ", ",
                        report::as_percent(all.share(one)), one.path,
                        one.build_id.empty() ? "" : ", build id " + one.build_id);
  return list;
}

std::string what_ran(const std::vector<std::string>& recordings, unsigned threads) {
  auto sums = programs_of(recordings, threads);
  return sums ? what_ran(sums->programs) : "";
}

Result<ChosenProgram> dominant_program(const std::vector<std::string>& recordings,
                                       unsigned threads) {
  auto programs = TRY(recorded_programs(recordings, threads));
  if (programs.all.samples == 0)
    return fail("{}: {}", recordings[0], nothing_in(programs.cut_short));
  if (programs.list.empty())
    return fail("{}: no program is known in it; give one with -b", recordings[0]);
  if (programs.counted) return only_counted(programs, recordings[0]);
  const auto* missed = programs.missed();
  auto chosen = std::ranges::find_if(programs.list, &RecordedProgram::usable);
  if (chosen == programs.list.end())
    return fail("{}: {}{}", recordings[0], describe_missed(programs), remedy(*missed));
  ChosenProgram result{chosen->file, ""};
  if (missed) result.passed_over = describe(*missed, programs.all);
  return result;
}

}  // namespace pgokit::pipeline
