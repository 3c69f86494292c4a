#include "cli/views/counters.h"

#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using Detail = pipeline::Counters::Detail;
using report::counted;

const char* made_of(const pipeline::Counters& counters) {
  constexpr u32 call_kinds = MIP_CALLS32 | MIP_CALLS64;
  if (counters.detail == Detail::targets && (counters.module->all_kinds() & call_kinds))
    return "call counts and targets of indirect calls";
  const char* details[] = {"block counts", "targets of indirect calls", "call counts",
                           "functions that ran"};
  return details[static_cast<int>(counters.detail)];
}

u64 functions_of(const pipeline::Road& road) {
  bool coverage = road.input.counters->detail == Detail::coverage;
  return coverage ? 0 : road.generated.profile.functions().size();
}

// Some are in every program, and matter little.
bool lacks_targets(const pipeline::Counters& counters) {
  constexpr u64 least_percent = 5;
  return counters.calls_without_target > 0 &&
         counters.calls_without_target >= counters.calls / 100 * least_percent;
}

}  // namespace

void print_counters_summary(const pipeline::Road& road) {
  const auto& counters = *road.input.counters;
  const auto& module = *counters.module;
  report::print(stderr, "counted   exact {} of {} of {}\n", made_of(counters),
                counted(module.data.dumps, "dump"), display_name(module));
  if (module.all_kinds() & module.kinds_of_runs())
    report::print(stderr, "never ran {}, on the symbol list: clang takes them for cold\n",
                  counted(road.generated.profile.symbols.size(), "function"));
  if (lacks_targets(counters))
    report::print(
        stderr,
        "targets   unknown of {} of the calls, which go through pointers: collect 'blocks "
        "targets', and clang can inline them\n",
        report::percent(counters.calls_without_target, counters.calls));
  bool coverage = counters.detail == Detail::coverage;
  report::print(
      stderr, "profile   {}: {}, {}\n", road.options.output_path,
      coverage ? "which functions ran, no counts" : counted(functions_of(road), "function"),
      report::file_size(road.written));
}

report::Json counters_json(const pipeline::Road& road) {
  const auto& counters = *road.input.counters;
  auto json = report::Json::object();
  json.set("profile", road.options.output_path)
      .set("bytes", road.written)
      .set("made_of", made_of(counters))
      .set("dumps", counters.module->data.dumps)
      .set("functions", functions_of(road))
      .set("never_ran", road.generated.profile.symbols.size())
      .set("calls", counters.calls)
      .set("calls_without_target", counters.calls_without_target);
  return json;
}

}  // namespace pgokit::cli
