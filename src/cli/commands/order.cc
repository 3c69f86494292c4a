#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/evaluate_order.h"
#include "cli/commands/make_order.h"
#include "cli/options.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::vector<std::string> files, weighted, lists, with;
  std::string until_time, until;
  std::optional<u32> until_mark;
  u64 threads = 0;
  bool evaluate = false;
  MakeOrder make;
};

constexpr const char* footer =
    "\nINPUTs are, in any mix:\n"
    "  dumps of programs built with 'pgokit flags order' (or edges), with their map or program\n"
    "  instrumented profiles (.mip), recordings (perf.data, perf script text), sample profiles\n"
    "  profiles of clang (.profraw, .profdata) with -ftemporal-profile: first runs\n"
    "  order files: functions in the order of their first runs, one per line\n"
    "Each dump is a scenario; FILE=WEIGHT gives it a weight. Recordings are scenarios too if "
    "start-up\n"
    "is cut off, or first-touch or bp asked for; else only who calls whom is taken from them.\n"
    "\nalgorithms:\n"
    "  auto         start-up by first-touch or bp, whichever is better; the rest by cdsort\n"
    "  first-touch  the order of first runs, the heaviest trace first\n"
    "  bp           balanced partitioning: for many different traces\n"
    "  c3           call-chain clustering (hfsort)\n"
    "  cdsort       cache-directed sort\n"
    "\nformats (--format), and the option of the linker:\n"
    "  lld          -Wl,--symbol-ordering-file=F\n"
    "  gold         -Wl,--section-ordering-file=F\n"
    "  ld           -Wl,-T,F                            (GNU ld: a script before its own)\n"
    "  ld64         -Wl,-order_file,F                   (Apple)\n"
    "  call-graph   -Wl,--call-graph-ordering-file=F    (lld orders by the calls)\n"
    "All want the program compiled with -ffunction-sections.\n"
    "\nexample:\n"
    "  clang-22 -O2 -ffunction-sections $(pgokit flags order --compile) -c app.c\n"
    "  clang-22 -fuse-ld=lld-22 app.o $(pgokit flags order --link) -o app && ./app\n"
    "  pgokit order app default-*.mipraw --until-time 500ms --link app.plain -o app.order\n"
    "  pgokit order --evaluate app.plain app.ordered --with app --with default-1.mipraw\n";

OptionTable options_of(Settings& s) {
  return {
      "pgokit order",
      "Put functions in the order that starts a program with the fewest pages, or keeps calls "
      "near.",
      {{"INPUT", "", "see below; with --evaluate: the programs", &s.files},
       {"-o,--output", "FILE", "the order file ('-': standard output)", &s.make.output},
       {"-l,--link", "FILE",
        "the program as it is linked now, or its objects, archives, bitcode: symbols are matched",
        &s.make.link},
       {"-b,--binary", "PROGRAM", "recordings: the program that was recorded",
        &s.make.inputs.binary},
       one_of({"--algorithm", "NAME", "{}", &s.make.inputs.algorithm},
              {"auto", "first-touch", "bp", "c3", "cdsort"}),
       one_of({"--format", "FORMAT", "{}", &s.make.format},
              {"lld", "gold", "ld", "ld64", "call-graph"}),
       {"-w,--weighted-input", "WEIGHT,FILE", "an input that counts WEIGHT times", &s.weighted},
       {"-f,--input-files", "LIST", "a file that names inputs, one [WEIGHT,]FILE per line",
        &s.lists},
       {"--until-time", "TIME", "start-up ends after TIME: 300ms, 2s, 1500us", &s.until_time},
       {"--until", "FUNCTION", "... with the first run of FUNCTION", &s.until},
       {"--until-mark", "N", "... where the program called pgokit_mark(N)", &s.until_mark},
       {"--held-out", "N", "keep the last N traces for the score", &s.make.held_out},
       {"--page-size", "BYTES", "4096, or that of the target", &s.make.page_size},
       {"--evaluate", "", "count the pages that start-up touches in linked programs", &s.evaluate},
       {"--with", "FILE", "... the start-up: inputs as above", &s.with},
       {"--svg", "FILE", "a picture of the pages touched, before and after", &s.make.svg},
       {"--ignore-build-id", "", "recordings: of other builds too", &s.make.inputs.ignore_build_id},
       {"--pid", "N", "recordings: only this process", &s.make.inputs.pid},
       {"--top", "N", "how many functions that could not be placed are listed (10); 0 is all",
        &s.make.top},
       {"--demangle", "", "in order files: each symbol as people write it, as a comment",
        &s.make.demangle},
       mangled_option(s.make.mangled),
       {"--threads", "N", "0: all cores", &s.threads},
       {"--json", "", "tell what was done as JSON", &s.make.json},
       {"-q,--quiet", "", "no messages but warnings", &s.make.quiet}},
      footer};
}

Result<u64> microseconds_of(const std::string& text) {
  struct Unit {
    std::string_view name;
    double factor;
  };
  constexpr Unit units[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}};
  for (const auto& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    std::string number = text.substr(0, text.size() - unit.name.size());
    char* end = nullptr;
    double value = std::strtod(number.c_str(), &end);
    bool whole = !number.empty() && *end == 0;
    if (whole && value >= 0 && value * unit.factor < 1e18)
      return static_cast<u64>(value * unit.factor);
  }
  return usage_error("--until-time {}: a number followed by us, ms or s is wanted", text);
}

// Programs that are linked have their order already.
Status check_evaluation(const Settings& s) {
  for (std::string_view option :
       {"--output", "--link", "--algorithm", "--format", "--held-out", "--quiet"})
    if (std::ranges::count(s.make.inputs.given, option) > 0)
      return usage_error(
          "{} is for making an order, and --evaluate looks at programs that have one", option);
  if (s.files.empty()) return usage_error("--evaluate wants a program");
  if (s.make.inputs.inputs.empty())
    return usage_error("--evaluate wants the start-up: --with FILE");
  return {};
}

Status prepare(Settings& s) {
  auto& inputs = s.make.inputs;
  if (!s.until_time.empty()) inputs.cut.microseconds = TRY(microseconds_of(s.until_time));
  inputs.cut.function = s.until;
  if (s.until_mark) inputs.cut.mark = *s.until_mark;
  inputs.sample_traces = !s.until_time.empty() || !s.until.empty() || s.evaluate ||
                         s.make.inputs.algorithm == "first-touch" ||
                         s.make.inputs.algorithm == "bp";
  inputs.threads = s.make.threads = static_cast<unsigned>(s.threads);
  if (s.make.page_size < 256 || (s.make.page_size & (s.make.page_size - 1)))
    return usage_error("--page-size {}: a power of two from 256 on is wanted", s.make.page_size);
  for (const auto& file : s.evaluate ? s.with : s.files)
    TRY(pipeline::add_named(inputs.inputs, file));
  for (const auto& weighted : s.weighted)
    TRY(pipeline::add_weighted(inputs.inputs, weighted, false));
  for (const auto& list : s.lists) TRY(pipeline::add_list(inputs.inputs, list, false));
  if (s.evaluate) return check_evaluation(s);
  if (!s.with.empty()) return usage_error("--with is for --evaluate");
  if (inputs.inputs.empty() && !s.lists.empty()) return fail("{}: names no inputs", s.lists[0]);
  if (inputs.inputs.empty())
    return usage_error(
        "give a recording, a profile, or counters of an instrumented program: pgokit order "
        "app.perf -b app -o app.order");
  return {};
}

Status order(Settings& s) {
  TRY(prepare(s));
  if (s.evaluate) return evaluate_order(s.files, s.make);
  return make_order(s.make);
}

int run(std::span<char* const> arguments) {
  Settings s;
  auto table = options_of(s);
  table.given = &s.make.inputs.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = order(s);
  return status ? 0 : report_failure("order", status.error());
}

}  // namespace

constexpr Command order_command{"order", "put functions in order for linkers", run};

}  // namespace pgokit::cli
