#include "base/cursor.h"
#include "base/file.h"
#include "cli/commands/commands.h"
#include "cli/commands/show_options.h"
#include "cli/options.h"
#include "cli/views/instr_profile.h"
#include "cli/views/instrumented.h"
#include "cli/views/order_ids.h"
#include "cli/views/profile.h"
#include "cli/views/program.h"
#include "cli/views/raw_counts.h"
#include "cli/views/recording.h"
#include "object/file.h"
#include "pipeline/foreign_formats.h"
#include "pipeline/inputs.h"
#include "profile/format.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::string file;
  bool json = false, demangled = false;
  ShowProfile profile;
  ShowInstrumented instrumented;
  std::optional<u32> top;
  std::vector<std::string> given;
};

std::optional<Shown> kind_of(Bytes bytes, const ShowInstrumented& options) {
  namespace inputs = pipeline::inputs;
  const auto* kind = pipeline::identify(bytes);
  if (pipeline::is_recording(kind) && options.targets) return Shown::targets;
  if (kind == &inputs::recording) return Shown::recording;
  if (kind == &inputs::script || kind == &inputs::ip_script) return Shown::script;
  if (kind == &inputs::sample_profile) return Shown::profile;
  if (kind == &inputs::raw_counts || kind == &inputs::autofdo_text) return Shown::counts;
  if (kind == &inputs::instr_profile) return Shown::instr_profile;
  if (kind == &inputs::counter_dumps) return options.ids ? Shown::order_ids : Shown::dumps;
  bool is_program = inputs::program.sniff(bytes);  // with a map in it or not
  if (pipeline::is_of_counters(kind) && !is_program) return Shown::instrumented;
  return std::nullopt;
}

Status show(const Settings& settings) {
  auto file = TRY(MappedFile::open(settings.file));
  auto kind = kind_of(file.bytes(), settings.instrumented);
  if (kind) TRY(check_shown(settings.given, *kind, file.path()));
  if (kind && kind != Shown::instrumented && settings.instrumented.programs.size() > 1)
    return usage_error("-b {}: of {} one program is shown", settings.instrumented.programs[1],
                       file.path());
  if (kind == Shown::targets)
    return show_recorded_targets(settings.file, settings.instrumented, settings.json);
  if (kind == Shown::order_ids) return show_order_ids(file, settings.instrumented, settings.json);
  if (kind == Shown::recording)
    return show_recording(file.path(), file.bytes(), settings.json,
                          {.program = settings.instrumented.program(),
                           .mangled = settings.profile.mangled,
                           .top = settings.top.value_or(20)});
  if (kind == Shown::script) return show_script(file.path(), file.bytes(), settings.json);
  if (kind == Shown::instr_profile)
    return show_instr_profile(file.path(), file.bytes(),
                              {.function = settings.profile.function,
                               .top = settings.top.value_or(10),
                               .mangled = settings.profile.mangled,
                               .json = settings.json});
  if (kind == Shown::counts) return show_raw_counts(file.path(), file.bytes(), settings.json);
  if (kind == Shown::profile) return show_profile(file, settings.profile, settings.json);
  if (kind) return show_instrumented(file, settings.instrumented, settings.json);
  auto program = object::File::parse(file.bytes());
  if (program) TRY(check_shown(settings.given, Shown::program, file.path()));
  if (program) return show_program(file.path(), *program, settings.json);
  if (file.bytes().empty()) return fail("{}: it is empty", file.path());
  if (object::File::recognizes(file.bytes()))
    return std::unexpected(std::move(program).error().in(file.path()));
  if (auto what = pipeline::foreign_format(file.bytes()); !what.empty())
    return fail("{}: {}", file.path(), what);
  return fail("{}: neither a recording nor a profile nor a program", file.path());
}

int run(std::span<char* const> arguments) {
  Settings settings;
  OptionTable table{
      "pgokit show",
      "Show what is in a recording, a profile, a dump or a program.",
      {{"FILE", "", "the file", &settings.file, true},
       {"--function", "NAME",
        "of a profile: this function in full (linkage name, demangled, or part of it)",
        &settings.profile.function},
       {"--top", "N", "that many functions, calls, programs or data; 0 is all", &settings.top},
       {"--hot", "N", "... that many of those with a hot place, and its count; 0 is all",
        &settings.profile.hot},
       {"--summary", "", "... no functions", &settings.profile.summary},
       {"--detailed-summary", "", "... from which count on the hottest places make 1 to 99.9999 %",
        &settings.profile.detailed_summary},
       {"--sections", "", "... the sections of an extbinary file", &settings.profile.sections},
       {"--symbols", "", "... its list of symbols", &settings.profile.symbols},
       {"-b,--binary", "PROGRAM",
        "instrumented profile: its programs, one -b each, for places in the source; recording: "
        "that "
        "of its data; dump with --ids: its map",
        &settings.instrumented.programs},
       {"--functions", "", "instrumented profile: all functions", &settings.instrumented.all},
       {"--uncovered", "", "... those that never ran", &settings.instrumented.never},
       {"--order", "", "... in the order of their first runs", &settings.instrumented.order},
       {"--edges", "", "... the calls that were sampled", &settings.instrumented.edges},
       {"--targets", "", "... what indirect calls call; of a recording too, with -b PROGRAM",
        &settings.instrumented.targets},
       {"--per-site", "N", "... that many targets of each (3); 0 is all",
        &settings.instrumented.per_site},
       {"--ids", "", "dump: the logs of first runs ('pgokit flags order-log'), entry by entry",
        &settings.instrumented.ids},
       {"--source", "FILE", "instrumented profile: this source file with counts before its lines",
        &settings.instrumented.source},
       mangled_option(settings.profile.mangled),
       {"--demangle", "", "how names are shown anyway", &settings.demangled, false, true},
       {"--json", "", "print JSON", &settings.json}},
      ""};
  table.given = &settings.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  settings.instrumented.function = settings.profile.function;
  settings.instrumented.mangled = settings.profile.mangled;
  settings.instrumented.top = settings.top;
  if (settings.top) settings.profile.top = *settings.top;
  auto status = show(settings);
  return status ? 0 : report_failure("show", status.error());
}

}  // namespace

constexpr Command show_command{"show", "show what is in a recording, a profile or a program", run};

}  // namespace pgokit::cli
