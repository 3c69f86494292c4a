#include <algorithm>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/instrument/mip_program.h"
#include "cli/options.h"
#include "mip/profile_file.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::string profile, program, output = "-";
  bool lcov = true;
};

Status write_info(const Settings& settings) {
  auto file = TRY(MappedFile::open(settings.profile));
  if (!mip::is_profile(file.bytes()))
    return fail("{}: not an instrumented profile: 'pgokit merge' makes one of maps and dumps",
                file.path());
  auto profile = TRY_IN(file.path(), mip::read_profile(file.bytes()));
  auto program = TRY(MipProgram::open(settings.program));
  if (!program.debug())
    return fail("{} has no debug information: compile it with -g or -gline-tables-only",
                settings.program);
  auto module =
      std::ranges::find_if(profile.modules, [&](const mip::Module& m) { return program.is_of(m); });
  if (module == profile.modules.end())
    return fail("{}: it is not the program of {}: other build id", settings.program, file.path());
  auto output = TRY(OutputFile::create(settings.output));
  output.write(mip::lcov_info(mip::source_lines(*module, *program.debug()), ""));
  return output.commit();
}

int run(std::span<char* const> arguments) {
  Settings settings;
  OptionTable table{
      "pgokit export",
      "Write the source coverage of an instrumented profile for lcov's tools and editors.",
      {{"PROFILE", "", "the instrumented profile", &settings.profile, true},
       {"-b,--binary", "PROGRAM", "its program with debug information, or the .debug file",
        &settings.program, true},
       {"-o,--output", "FILE", "the .info file; - (default) is standard output", &settings.output},
       {"--lcov", "", "lcov's format, which is the only one", &settings.lcov}},
      "\nexample:\n"
      "  pgokit export app.mip -b app -o app.info && genhtml app.info -o html\n"
      "\nLines have counts where blocks were counted or covered; functions have theirs always.\n"};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = write_info(settings);
  return status ? 0 : report_failure("export", status.error());
}

}  // namespace

constexpr Command export_command{"export", "write source coverage for lcov's tools", run};

}  // namespace pgokit::cli
