#include <algorithm>

#include "base/file.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/options.h"
#include "cli/views/instrumented_program.h"
#include "cli/views/targets.h"
#include "instrument/facts.h"
#include "instrument/profile_file.h"
#include "instrument/targets_file.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

// Of a file of lines.
void tell_left_out(const std::string& path, u64 names) {
  if (names)
    report::print(
        stderr,
        "pgokit export: {}: names with line ends or control characters, which are left out: {}\n",
        path, report::grouped(names));
}

struct Settings {
  std::string profile, program, output = "-";
  bool lcov = false, targets = false, never_ran = false;
};

// From an instrumented profile, or from a recording of branches.
Status write_targets(const Settings& settings) {
  auto file = TRY(MappedFile::open(settings.profile));
  bool instrumented = instrument::is_profile(file.bytes());
  if (instrumented && !settings.program.empty())
    return usage_error("-b {}: {} tells its targets by itself, -b is for recordings",
                       settings.program, settings.profile);
  auto profile = instrumented ? TRY_IN(file.path(), instrument::read_profile(file.bytes()))
                              : TRY(recorded_targets(settings.profile, settings.program));
  if (profile.values.empty())
    return fail("{}: no target of an indirect call is in it: 'pgokit flags targets' tells how",
                file.path());
  auto targets = instrument::targets_file(profile);
  if (targets.calls == 0)
    return fail(
        "{}: no call that was reached has a number or a line, by which -pgokit-use finds calls: "
        "compile the program that is measured with -g",
        file.path());
  if (targets.without_place)
    report::print(stderr,
                  "pgokit export: {}: calls without a number or a line, which are left out: {}\n",
                  file.path(), report::grouped(targets.without_place));
  tell_left_out(file.path(), targets.unwritable);
  auto output = TRY(OutputFile::create(settings.output));
  output.write(targets.text);
  return output.commit();
}

Result<instrument::Profile> read_instrumented(const std::string& path) {
  auto file = TRY(MappedFile::open(path));
  if (!instrument::is_profile(file.bytes()))
    return fail("{}: not an instrumented profile: 'pgokit merge' makes one of maps and dumps",
                path);
  return TRY_IN(path, instrument::read_profile(file.bytes()));
}

Result<MipProgram> open_program(const Settings& settings, std::string_view wanted) {
  if (settings.program.empty())
    return usage_error("-b is needed: the program, whose debug information tells {}", wanted);
  auto program = TRY(MipProgram::open(settings.program));
  if (!program.debug())
    return fail("{} has no debug information: compile it with -g or -gline-tables-only",
                settings.program);
  return program;
}

Result<const instrument::Module*> module_of(const Settings& settings,
                                            const instrument::Profile& profile,
                                            const MipProgram& program) {
  auto module = std::ranges::find_if(profile.modules,
                                     [&](const instrument::Module& m) { return program.is_of(m); });
  if (module == profile.modules.end())
    return fail("{}: it is not the program of {}: other build id", settings.program,
                settings.profile);
  return &*module;
}

Status write_never_ran(const Settings& settings) {
  auto profile = TRY(read_instrumented(settings.profile));
  auto program = TRY(open_program(settings, "what was inlined"));
  auto module = TRY(module_of(settings, profile, program));
  auto names = instrument::names_that_never_ran(
      profile.modules, instrument::inlined_where_it_ran(*module, *program.debug()));
  if (names.empty())
    return fail("{}: it knows of no function that never ran: all did, or no dump tells",
                settings.profile);
  auto output = TRY(OutputFile::create(settings.output));
  u64 left_out = std::erase_if(names, [](const auto& name) { return !fits_in_line(name); });
  for (const auto& name : names) output.write(name + "\n");
  tell_left_out(settings.profile, left_out);
  return output.commit();
}

Status write_info(const Settings& settings) {
  auto program = TRY(open_program(settings, "lines"));
  auto profile = TRY(read_instrumented(settings.profile));
  auto module = TRY(module_of(settings, profile, program));
  auto output = TRY(OutputFile::create(settings.output));
  auto info = instrument::lcov_info(instrument::source_lines(*module, *program.debug()), "");
  output.write(info.text);
  tell_left_out(settings.profile, info.left_out);
  return output.commit();
}

Status write(const Settings& settings) {
  if (settings.targets + settings.lcov + settings.never_ran > 1)
    return usage_error("--lcov, --targets and --never-ran are different files: give one");
  if (settings.targets) return write_targets(settings);
  return settings.never_ran ? write_never_ran(settings) : write_info(settings);
}

int run(std::span<char* const> arguments) {
  Settings settings;
  OptionTable table{
      "pgokit export",
      "Write what an instrumented profile holds for other tools: source coverage for lcov's tools "
      "and\n"
      "editors; targets of indirect calls and unused functions for pgokit's plugin.",
      {{"PROFILE", "", "the instrumented profile; --targets: or a recording", &settings.profile,
        true},
       {"-b,--binary", "PROGRAM", "its program with debug information, or the .debug file",
        &settings.program},
       {"-o,--output", "FILE", "the file; - (default) is standard output", &settings.output},
       {"--lcov", "", "source coverage (default)", &settings.lcov},
       {"--targets", "", "for clang with pgokit's plugin: -mllvm=-pgokit-use=FILE",
        &settings.targets},
       {"--never-ran", "", "names of functions that never ran: -mllvm=-pgokit-cold-functions=FILE",
        &settings.never_ran}},
      "\nexample:\n"
      "  pgokit export app.mip -b app -o app.info && genhtml app.info -o html\n"
      "  pgokit export app.mip --targets -o app.targets\n"
      "  pgokit export app.mip -b app --never-ran -o cold.txt\n"
      "\nLines have counts where blocks were counted or covered; functions have theirs always.\n"};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = write(settings);
  return status ? 0 : report_failure("export", status.error());
}

}  // namespace

constexpr Command export_command{"export",
                                 "write source coverage, targets of calls, or what never ran", run};

}  // namespace pgokit::cli
