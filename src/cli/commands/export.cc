#include <algorithm>

#include "base/cursor.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/saturated.h"
#include "base/shell_word.h"
#include "cli/commands/commands.h"
#include "cli/commands/export_stacks.h"
#include "cli/commands/profile_of.h"
#include "cli/options.h"
#include "cli/views/instrumented_program.h"
#include "cli/views/targets.h"
#include "instrument/hotness.h"
#include "instrument/inlined.h"
#include "instrument/profile_file.h"
#include "instrument/use_file.h"
#include "pipeline/inputs.h"
#include "profile/format.h"
#include "report/numbers.h"
#include "report/print.h"
#include "stacks/forms.h"

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
  std::string profile, output = "-";
  std::vector<std::string> programs;
  bool lcov = false, targets = false, hotness = false, blocks = false;
  instrument::HotnessOptions hot;
  std::vector<std::string> given;
  StackSettings stacks;
};

Result<instrument::Profile> read_instrumented(const std::string& path) {
  auto file = TRY(MappedFile::open(path));
  if (!instrument::is_profile(file.bytes()))
    return fail("{}: not an instrumented profile: 'pgokit merge' makes one of maps and dumps",
                path);
  return TRY_IN(path, instrument::read_profile(file.bytes()));
}

Result<MipPrograms> open_programs(const Settings& settings, const instrument::Profile& profile,
                                  std::string_view wanted) {
  if (settings.programs.empty())
    return usage_error("-b is needed: the program, whose debug information tells {}", wanted);
  auto programs = TRY(MipPrograms::open(settings.programs));
  TRY(programs.check_debug());
  TRY(programs.check(profile, settings.profile));
  return programs;
}

// The programs that were given, with what was counted of each.
template <class Each>
void for_each_program(const instrument::Profile& profile, MipPrograms& programs, Each each) {
  for (const auto& module : profile.modules)
    if (const auto* program = programs.of(module)) each(module, *program->debug());
}

// Recordings and sample profiles are of one.
Result<std::string> only_program(const Settings& settings) {
  if (settings.programs.size() > 1)
    return usage_error("-b {}: {} is of one program", settings.programs[1], settings.profile);
  return settings.programs.empty() ? "" : settings.programs[0];
}

Result<std::vector<instrument::FunctionHotness>> hotness_of_counters(
    const Settings& settings, const instrument::Profile& profile) {
  auto programs = TRY(open_programs(settings, profile, "what was inlined"));
  instrument::InlinedRuns inlined;
  for_each_program(profile, programs, [&](const auto& module, const auto& debug) {
    for (const auto& [name, runs] : instrument::inlined_where_it_ran(module, debug))
      inlined[name] = add_saturated(inlined[name], runs);
  });
  return instrument::hotness_of(profile, inlined, settings.hot);
}

// Of a sample profile, or of what one is made of first.
Result<std::vector<instrument::FunctionHotness>> hotness_of_samples(const Settings& settings,
                                                                    const MappedFile& file) {
  const auto program = TRY(only_program(settings));
  std::string made;
  if (has_counts(file.bytes())) {
    if (program.empty())
      return usage_error("-b is needed: the program that {} was recorded of", file.path());
    made = TRY(profile_of({.input = settings.profile, .binary = program})).bytes;
  }
  if (made.empty() && !program.empty())
    return usage_error("-b {}: {} is a sample profile, which tells its functions by itself",
                       program, settings.profile);
  auto read =
      TRY_IN(file.path(), profile::read_profile(made.empty() ? file.bytes() : as_bytes(made)));
  if (read.md5_names)
    return fail(
        "{}: it has hashes of names in place of names, by which functions are found: make it "
        "without --md5",
        file.path());
  return instrument::hotness_of(read.profile, settings.hot);
}

Result<std::vector<instrument::FunctionPlaces>> places_of(const Settings& settings,
                                                          const instrument::Profile& profile) {
  if (profile.modules.empty())
    return fail("{}: not an instrumented profile, which --blocks needs", settings.profile);
  auto programs = TRY(open_programs(settings, profile, "where blocks are"));
  std::vector<instrument::FunctionPlaces> places;
  for_each_program(profile, programs, [&](const auto& module, const auto& debug) {
    std::ranges::move(instrument::block_places(module, debug), std::back_inserter(places));
  });
  if (places.empty())
    return fail(
        "{}: no function is in it of which some blocks ran and others did not: collect "
        "'block-coverage' or 'blocks', and compile with -g or -fdebug-info-for-profiling",
        settings.profile);
  return places;
}

Status check_targets(const MappedFile& file, const instrument::UseFile& made) {
  if (made.calls == 0)
    return fail(
        "{}: no call that was reached has a number or a line, by which -pgokit-use finds calls: "
        "compile the program that is measured with -g",
        file.path());
  if (made.without_place)
    report::print(
        stderr,
        "pgokit export: {}: calls without a number or a line, which are left out: {}, {} of "
        "what was recorded\n",
        file.path(), report::grouped(made.without_place),
        report::percent(made.recorded_without_place, made.recorded));
  return {};
}

// In a pipe nobody asks what was written.
void tell_written(const Settings& settings, const instrument::UseFile& made,
                  const instrument::UseContents& contents) {
  if (settings.output == "-") return;
  std::vector<std::string> parts;
  for (auto kind : {instrument::Hotness::hot, instrument::Hotness::warm, instrument::Hotness::cold})
    if (!contents.hotness.empty())
      parts.push_back(
          fmt::format("{} {}",
                      report::grouped(static_cast<u64>(std::ranges::count(
                          contents.hotness, kind, &instrument::FunctionHotness::hotness))),
                      instrument::hotness_name(kind)));
  std::string text = parts.empty() ? "" : fmt::format("{} functions", fmt::join(parts, ", "));
  auto add = [&](std::string part) { text += (text.empty() ? "" : "; ") + std::move(part); };
  if (!contents.places.empty())
    add("blocks of " + report::counted(contents.places.size(), "function"));
  if (made.calls) add(report::counted(made.calls, "call") + " with targets or sizes");
  report::print(stderr,
                "pgokit export: {}: {}\nnext: clang-22 -O2 $(pgokit flags use={} --compile) ...\n",
                settings.output, text, shell_word(settings.output));
}

// From an instrumented profile, a recording, or, of hotness, a sample profile.
Status write_use_file(const Settings& settings) {
  auto file = TRY(MappedFile::open(settings.profile));
  instrument::Profile profile;
  const bool instrumented = instrument::is_profile(file.bytes());
  if (instrumented) {
    if (!settings.programs.empty() && !settings.hotness && !settings.blocks)
      return usage_error("-b {}: {} tells its targets by itself, -b is for recordings",
                         settings.programs[0], settings.profile);
    profile = TRY_IN(file.path(), instrument::read_profile(file.bytes()));
  } else if (settings.targets) {
    auto program = TRY(only_program(settings));
    profile = TRY(recorded_targets(settings.profile, program));
  }
  instrument::UseContents contents;
  if (settings.targets) contents.targets = &profile;
  if (settings.targets && profile.values.empty())
    return fail("{}: no target of an indirect call is in it: 'pgokit flags targets' tells how",
                file.path());
  std::vector<instrument::FunctionHotness> hotness;
  if (settings.hotness) {
    hotness = TRY(instrumented ? hotness_of_counters(settings, profile)
                               : hotness_of_samples(settings, file));
    if (hotness.empty())
      return fail("{}: it does not tell of any function whether it ran: no dump is in it",
                  file.path());
    contents.hotness = hotness;
  }
  std::vector<instrument::FunctionPlaces> places;
  if (settings.blocks) {
    places = TRY(places_of(settings, profile));
    contents.places = places;
  }
  auto made = instrument::use_file(contents);
  if (settings.targets) TRY(check_targets(file, made));
  tell_left_out(file.path(), made.unwritable);
  auto output = TRY(OutputFile::create(settings.output));
  output.write(made.text);
  TRY(output.commit());
  tell_written(settings, made, contents);
  return {};
}

bool is_recording(const std::string& path) {
  auto file = MappedFile::open(path);
  const auto* kind = file ? pipeline::identify(file->bytes()) : nullptr;
  return kind && kind->of_samples;
}

Status write_info(const Settings& settings) {
  if (is_recording(settings.profile))
    return usage_error(
        "{}: a recording, of which --to folded, speedscope, pprof or firefox writes the call "
        "stacks",
        settings.profile);
  if (settings.programs.empty())
    return usage_error("-b is needed: the program, whose debug information tells lines");
  auto profile = TRY(read_instrumented(settings.profile));
  auto programs = TRY(open_programs(settings, profile, "lines"));
  instrument::LcovInfo info;
  for_each_program(profile, programs, [&](const auto& module, const auto& debug) {
    auto one = instrument::lcov_info(instrument::source_lines(module, debug), "");
    info.text += one.text;
    info.left_out += one.left_out;
  });
  if (info.text.empty())
    return fail(
        "{}: its debug information has no line of a function that was instrumented: compile "
        "all of it with -g or -gline-tables-only",
        settings.programs[0]);
  auto output = TRY(OutputFile::create(settings.output));
  output.write(info.text);
  tell_left_out(settings.profile, info.left_out);
  return output.commit();
}

bool is_given(const Settings& settings, std::string_view option) {
  return std::ranges::count(settings.given, option) > 0;
}

// Of a recording, where nothing else is asked for; or what only they have.
bool wants_stacks(const Settings& settings) {
  constexpr std::string_view own[] = {"--to",      "--event",     "--root", "--marks",
                                      "--samples", "--addresses", "--pid"};
  return stacks::form_of(settings.output) ||
         std::ranges::any_of(own, [&](auto option) { return is_given(settings, option); });
}

Status write_stacks(const Settings& settings) {
  StackSettings how = settings.stacks;
  how.input = settings.profile;
  how.output = settings.output;
  how.programs = settings.programs;
  return export_stacks(how);
}

Status write(const Settings& settings) {
  const bool use = settings.targets || settings.hotness || settings.blocks;
  const bool stacks = wants_stacks(settings);
  if (stacks && (use || settings.lcov))
    return usage_error("--to is another file than that of --lcov, --hotness, --blocks, --targets");
  if (settings.lcov && use)
    return usage_error("--lcov is another file than that of --hotness, --blocks and --targets");
  if (!settings.hotness && is_given(settings, "--hot-percent"))
    return usage_error("--hot-percent is of --hotness, which is not asked for");
  if (settings.hot.hot_percent <= 0 || settings.hot.hot_percent > 100)
    return usage_error("--hot-percent {}: more than 0, at most 100", settings.hot.hot_percent);
  if (stacks) return write_stacks(settings);
  return use ? write_use_file(settings) : write_info(settings);
}

int run(std::span<char* const> arguments) {
  Settings settings;
  std::vector<std::string> forms;
  for (const auto& form : stacks::forms()) forms.emplace_back(form.name);
  OptionTable table{
      "pgokit export",
      "Write for other tools: the call stacks of a recording for viewers of profiles; and what an\n"
      "instrumented profile holds: source coverage for lcov's tools and editors; hotness of\n"
      "functions, which blocks ran and targets of indirect calls for pgokit's plugin.",
      {{"PROFILE", "",
        "the recording, text of perf script, or instrumented profile; --targets, --hotness: "
        "either",
        &settings.profile, true},
       {"-b,--binary", "PROGRAM",
        "its program with debug information, or the .debug file; --to: not needed where programs "
        "are where they ran. One -b for each program and library of an instrumented profile",
        &settings.programs},
       {"-o,--output", "FILE", "the file; - (default) is standard output", &settings.output},
       one_of(
           {"--to", "FORM",
            "call stacks as folded (flamegraph.pl), speedscope, pprof or firefox; default: by the "
            "ending of FILE (.folded, .speedscope.json, .pb.gz, .firefox.json)",
            &settings.stacks.form},
           forms),
       {"--event", "NAME", "--to folded: whose samples; default: the first event's",
        &settings.stacks.event},
       one_of({"--root", "WHAT", "--to folded: stacks begin with the {}", &settings.stacks.root},
              {"command", "process", "thread"}),
       {"--marks", "", "--to folded: _[k], _[i], _[j] behind kernel, inlined and generated code",
        &settings.stacks.marks},
       {"--addresses", "", "--to folded: addresses of functions without a name",
        &settings.stacks.addresses},
       {"--samples", "", "--to folded: the number of samples, not the sum of their periods",
        &settings.stacks.samples},
       {"--pid", "PID", "--to: samples of this process only", &settings.stacks.pid},
       {"--lcov", "", "source coverage (default)", &settings.lcov},
       {"--targets", "",
        "targets of indirect calls, for clang with pgokit's plugin: "
        "-mllvm=-pgokit-use=FILE",
        &settings.targets},
       {"--hotness", "", "hot, warm and cold functions, likewise; also of a sample profile",
        &settings.hotness},
       {"--blocks", "", "which blocks ran, likewise: weights of branches", &settings.blocks},
       {"--hot-percent", "P", "hot are the fewest functions that do so much of the work",
        &settings.hot.hot_percent}},
      "\nexample:\n"
      "  pgokit export perf.data --to folded | flamegraph.pl > app.svg\n"
      "  pgokit export perf.data -o app.speedscope.json && speedscope app.speedscope.json\n"
      "  pgokit export perf.data -o app.pb.gz && go tool pprof -http=: app.pb.gz\n"
      "  pgokit export app.mip -b app -o app.info && genhtml app.info -o html\n"
      "  pgokit export app.mip --targets -o app.use\n"
      "  pgokit export app.mip -b app --hotness --blocks --targets -o app.use\n"
      "\nLines have counts where blocks were counted or covered; functions have theirs always.\n"};
  table.given = &settings.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = write(settings);
  return status ? 0 : report_failure("export", status.error());
}

}  // namespace

constexpr Command export_command{
    "export", "write call stacks for viewers, source coverage, or hotness of functions", run};

}  // namespace pgokit::cli
