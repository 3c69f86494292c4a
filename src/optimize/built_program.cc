#include "optimize/built_program.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "dwarf/debug_info.h"
#include "pipeline/find_program.h"
#include "program/facts.h"
#include "program/producer.h"
#include "report/numbers.h"

namespace pgokit::optimize {
namespace {

namespace fs = std::filesystem;

bool is_newer(const std::string& file, const std::string& marker) {
  std::error_code error;
  auto time = fs::last_write_time(file, error);
  return !error && time >= fs::last_write_time(marker, error) && !error;
}

std::string short_path(const std::string& file) {
  std::error_code error;
  auto from_here = fs::path(file).lexically_proximate(fs::current_path(error)).string();
  return error || from_here.starts_with("../") ? file : from_here;
}

}  // namespace

Result<std::vector<BuiltProgram>> built_programs(const std::string& recording,
                                                 const std::string& marker,
                                                 const std::string& build) {
  auto programs = TRY(pipeline::recorded_programs({recording}, 0));
  if (programs.all.samples == 0 || programs.list.empty())
    return fail("{}: no program is known in it", recording);
  std::vector<BuiltProgram> built;
  double all = 0;
  for (const auto& one : programs.list) {
    if (one.file.empty() || !is_newer(one.file, marker)) continue;
    built.push_back({short_path(one.file), programs.all.share(one.program)});
    all += built.back().share;
  }
  for (auto& one : built) one.share /= all;
  constexpr double least = 0.05;
  if (!built.empty() && all >= least) return built;
  const auto& most = programs.list.front();
  if (!built.empty() && most.is_system_library())
    return fail(
        "{}: only {} of the branches are in what the build made ({}), and {} in {}, which no "
        "profile makes faster: let --run do more of the program's own work",
        recording, report::as_percent(all), built.front().file,
        report::as_percent(programs.all.share(most.program)), most.program.path);
  if (!built.empty())
    return fail(
        "{}: only {} of the branches are in what the build made ({}), and {} in {}: if the build "
        "makes that too, it has to be what is loaded (LD_LIBRARY_PATH=FOLDER for libraries)",
        recording, report::as_percent(all), built.front().file,
        report::as_percent(programs.all.share(most.program)), most.program.path);
  return fail(
      "{}: nothing of what ran was made by the build ({}): {} of the recording is in {}; --program "
      "FILE names the program that the build makes, and --run is to run it",
      recording, build, report::as_percent(programs.all.share(most.program)), most.program.path);
}

// Of a recording that cannot be read nothing is said.
RunShares run_shares(const std::string& recording, const std::string& program) {
  constexpr double much = 0.05;
  constexpr size_t most = 3;
  RunShares shares;
  auto programs = pipeline::recorded_programs({recording}, 0);
  if (!programs || programs->all.all() == 0) return shares;
  shares.program = 0;
  for (const auto& one : programs->list) {
    auto name = fs::path(one.program.path).filename();
    double share = programs->all.share(one.program);
    if (name == fs::path(program).filename())
      shares.program += share;
    else if (share >= much && shares.rest.size() < most)
      shares.rest.emplace_back(one.is_generated() ? "generated code" : name.string(), share);
  }
  return shares;
}

Result<std::vector<std::string>> sources_of(const std::string& program) {
  auto image = TRY(MappedFile::open_regular(program));
  auto file = TRY_IN(program, object::File::parse(image.bytes()));
  auto debug = TRY_IN(program, dwarf::DebugInfo::load(file, {.path = program}));
  std::vector<std::string> sources;
  for (u32 unit = 0; unit < debug.facts().units; ++unit)
    sources.push_back(fs::path(debug.unit_name(unit)).filename().string());
  std::ranges::sort(sources);
  return sources;
}

Result<compilers::Flags> telling_options(const std::string& program) {
  auto image = TRY(MappedFile::open_regular(program));
  auto file = TRY_IN(program, object::File::parse(image.bytes()));
  auto compiler =
      compilers::compiler_of(TRY_IN(program, program::read_facts(program, file)).producer);
  if (compiler.family != compilers::CompilerFamily::clang ||
      compiler.version < compilers::first_clang_with_beliefs)
    return compilers::Flags();
  return compilers::belief_flags(program::is_linked_by_lld(file));
}

Status check_program(const std::string& program) {
  auto image = TRY(MappedFile::open_regular(program));
  auto file = TRY_IN(program, object::File::parse(image.bytes()));
  if (file.is_relocatable()) return fail("{}: it is an object, not a program or library", program);
  auto facts = TRY_IN(program, program::read_facts(program, file));
  if (!facts.debug || !facts.symbols)
    return fail(
        "{}: the build made it without {}, which a profile needs: it ignores the options "
        "(--flags-by "
        "wrapper reaches any build that finds its compiler in PATH), or strips the program",
        program, facts.symbols ? "debug information" : "symbols");
  if (facts.producer.starts_with("GNU "))
    return fail("{}: {} built it, and the profile is for clang: let the build use $CC and $CXX",
                program, facts.producer.substr(0, facts.producer.find(" -")));
  return {};
}

}  // namespace pgokit::optimize
