#include "cli/commands/merge_instrumented.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/shell_word.h"
#include "instrument/carry_over.h"
#include "instrument/map.h"
#include "instrument/merge.h"
#include "instrument/profile_file.h"
#include "report/function_names.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::counted;
using report::grouped;

constexpr int some_left_out = 3;

// pipeline::Inputs are read one after the other; what one of them lacks is noted, and the others
// count.
class InstrumentedInputs {
 public:
  void take(const profile::MergeInput& input, u32 number) {
    auto status = [&]() -> Status {
      auto file = TRY(MappedFile::open(input.path));
      auto taken = take(file.bytes(), input, number);
      if (!taken) return std::unexpected(std::move(taken).error().in(file.path()));
      return {};
    }();
    if (!status) note(status.error().message), unusable_ = true;
  }

  // Once all have been taken.
  void add_dumps() {
    if (!merger_.has_maps()) return;
    for (const auto& [number, path] : dump_files_)
      if (auto file = MappedFile::open(path)) merger_.add_dumps(number, file->bytes());
  }

  template <class... A>
  void note(fmt::format_string<A...> text, A&&... values) {
    notes_.push_back(fmt::format(text, std::forward<A>(values)...));
  }
  void note(const std::string& text) { notes_.push_back(text); }

  instrument::Merger& merger() { return merger_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // Some input was left out whole.
  bool has_unusable() const { return unusable_; }
  u64 dump_files() const { return dump_files_.size(); }
  // What the merger left out, in sentences.
  void note_facts();

 private:
  Status take(Bytes bytes, const profile::MergeInput& input, u32 number) {
    if (instrument::is_profile(bytes)) {
      merger_.add_profile(TRY(instrument::read_profile(bytes)), input.weight);
      return {};
    }
    if (instrument::looks_like_map_section(bytes) || object::File::recognizes(bytes)) {
      auto map = TRY(instrument::read_map(input.path, bytes));
      if (map.facts.damaged)
        note("{}: {} of the map skipped; the first: {}", input.path,
             counted(map.facts.damaged, "record"), map.facts.first_damage);
      merger_.add_map(std::move(map.module));
      return {};
    }
    return take_dumps(bytes, input, number);
  }

  Status take_dumps(Bytes bytes, const profile::MergeInput& input, u32 number) {
    if (bytes.empty()) return fail("it is empty");
    auto facts = merger_.see_dumps(number, bytes, input.weight);
    if (facts.records == 0 && !instrument::DumpReader::recognizes(bytes))
      return fail("neither a dump, nor a map, nor a profile of an instrumented program");
    if (facts.damaged)
      note("{}: {} of its records {} damaged; the first at {}", input.path,
           facts.damaged == 1 ? "one" : grouped(facts.damaged), facts.damaged == 1 ? "is" : "are",
           facts.first_damage);
    if (facts.records)
      dump_files_.emplace_back(number, input.path);
    else
      unusable_ = true;
    return {};
  }

  instrument::Merger merger_;
  std::vector<std::pair<u32, std::string>> dump_files_;
  std::vector<std::string> notes_;
  bool unusable_ = false;
};

void InstrumentedInputs::note_facts() {
  const auto& facts = merger_.facts();
  if (facts.without_map)
    note("{} of programs without a map; the first of {}",
         counted(facts.without_map, "dump is", "dumps are"), facts.first_without_map);
  if (facts.misfits)
    note("{} other counters than the map of their build id: refused",
         counted(facts.misfits, "dump has", "dumps have"));
  if (facts.implausible)
    note("{} of dumps with impossible counters: left out", counted(facts.implausible, "function"));
  if (facts.unknown_order)
    note("{} of order logs of no function of the map (another build?): left out",
         counted(facts.unknown_order, "entry", "entries"));
  if (facts.unknown_values)
    note("{} of no call of the map (another build?): left out",
         counted(facts.unknown_values, "recorded target"));
  if (facts.implausible_sites)
    note("{} with impossible counts of their targets: left out",
         counted(facts.implausible_sites, "call"));
  if (facts.mismatched)
    note("{} described differently for one build id: refused; the first: {} of {}",
         counted(facts.mismatched, "function is", "functions are"),
         report::function_name(facts.first_mismatch), facts.first_mismatch_in);
  if (facts.edges_elsewhere)
    note("{} in files without a build id: left out",
         counted(facts.edges_elsewhere, "sampled call"));
}

struct Totals {
  u64 functions = 0, ran = 0;
  bool tells_runs = false;
};

u64 dumps_of(const instrument::Profile& profile) {
  u64 dumps = 0;
  for (const auto& module : profile.modules) dumps += module.data.dumps;
  return dumps;
}

Totals totals_of(const instrument::Profile& profile) {
  Totals totals;
  for (const auto& module : profile.modules) {
    totals.functions += module.functions.size();
    totals.tells_runs |= (module.all_kinds() & module.kinds_of_runs()) != 0;
    totals.ran +=
        static_cast<u64>(std::ranges::count_if(module.data.ran, [](u64 ran) { return ran > 0; }));
  }
  return totals;
}

std::string names_of(const instrument::Profile& profile) {
  std::string text;
  size_t named = 0;
  for (const auto& module : profile.modules) {
    if (!module.has_map()) continue;
    if (++named > 3) return text + ", ...";
    text += (text.empty() ? "" : ", ") + instrument::display_name(module);
  }
  return text;
}

// What can be made of it, by what was collected; a command for each.
std::string next_steps(const InstrumentedMerge& merge, const instrument::Profile& profile) {
  if (merge.output == "-") return "";
  auto file = shell_word(merge.output);
  if (dumps_of(profile) == 0)
    return report::format("next      run the program, then: pgokit merge {} *.mipraw -o app.mip\n",
                          file);
  u32 kinds = 0;
  std::string programs;
  u64 count = 0;
  for (const auto& module : profile.modules) {
    if (!module.has_map()) continue;
    kinds |= module.all_kinds();
    ++count;
    programs += " -b " + shell_word(module.path.empty() ? "PROGRAM" : module.path);
  }
  constexpr u32 counts =
      MIP_CALLS32 | MIP_CALLS64 | MIP_BLOCKS64 | MIP_COVERAGE | MIP_BLOCK_COVERAGE;
  constexpr u32 orders = MIP_ORDER | MIP_ORDER_LOG | MIP_ORDER_CALLS;
  std::string text = report::format("next      pgokit show {}\n", file);
  if (kinds & counts)
    text += report::format("          pgokit generate {}{}{}\n", file, programs,
                           count > 1 ? " -o profiles/" : " -o app.prof");
  if (kinds & MIP_VALUES)
    text += report::format("          pgokit export {} --targets -o app.use\n", file);
  if (kinds & orders) text += report::format("          pgokit order {} -o app.order\n", file);
  return text;
}

std::string outcome_of(const InstrumentedMerge& merge, const instrument::Profile& profile,
                       const instrument::MergeFacts& facts) {
  auto totals = totals_of(profile);
  std::string text = report::format("{}: {}; {}", merge.output, names_of(profile),
                                    report::counted(totals.functions, "function"));
  if (totals.tells_runs && (facts.dumps || totals.ran))
    text += report::format(", {} of them ran ({})", grouped(totals.ran),
                           report::percent(totals.ran, totals.functions));
  if (facts.dumps) text += report::format("; {}", report::counted(facts.dumps, "dump"));
  if (facts.superseded)
    text += report::format(", {} more that later ones of their process contain",
                           grouped(facts.superseded));
  return text + "\n" + next_steps(merge, profile);
}

Result<instrument::Module> map_at(const std::string& path) {
  auto file = TRY(MappedFile::open(path));
  if (!instrument::is_profile(file.bytes()))
    return TRY_IN(path, instrument::read_map(path, file.bytes())).module;
  auto profile = TRY_IN(path, instrument::read_profile(file.bytes()));
  if (profile.modules.size() != 1)
    return fail("{}: it is of {} programs; --onto wants the map of one", path,
                profile.modules.size());
  auto& module = profile.modules[0];
  module.data = {};
  module.make_columns();
  return std::move(module);
}

Result<instrument::Profile> carried_over(const InstrumentedMerge& merge,
                                         const instrument::Profile& profile) {
  auto build = TRY(map_at(merge.onto));
  const auto* own = profile.find(build.build_id);
  auto carried = instrument::carry_over(profile, build);
  if (!merge.quiet)
    report::print(stderr,
                  "{} as they were, {} changed{} and were refused, {} are gone, {} have "
                  "names that do not tell them apart\n",
                  counted(carried.taken, "function is", "functions are"), grouped(carried.changed),
                  carried.changed
                      ? fmt::format(" ({}, ...)", report::function_name(carried.first_changed))
                      : "",
                  grouped(carried.gone), grouped(carried.ambiguous));
  if (u64 left_out = carried.edges + carried.values; !merge.quiet && left_out)
    report::print(stderr, "{} of other builds and in libraries left out\n",
                  counted(left_out, "sampled call or target is", "sampled calls and targets are"));
  bool refused_all = carried.taken == 0 && carried.changed + carried.gone + carried.ambiguous > 0;
  if (refused_all && !(own && own->data.dumps))
    return fail("{} takes none of the functions: is it of the same program? Nothing is written",
                merge.onto);
  return std::move(carried.profile);
}

}  // namespace

bool are_instrumented(const pipeline::Inputs& inputs) {
  return std::ranges::any_of(inputs, [](const profile::MergeInput& input) {
    auto file = MappedFile::open(input.path);
    return file && pipeline::is_of_counters(pipeline::identify(file->bytes()));
  });
}

Result<MadeInstrumented> make_instrumented(const InstrumentedMerge& merge) {
  InstrumentedInputs inputs;
  for (u32 i = 0; i < merge.inputs.size(); ++i) inputs.take(merge.inputs[i], i);
  inputs.add_dumps();
  inputs.note_facts();
  const instrument::MergeFacts facts = inputs.merger().facts();
  bool has_maps = inputs.merger().has_maps();
  if (!has_maps && merge.inputs.size() == 1 && !inputs.notes().empty())
    return fail("{}", inputs.notes().front());
  if (merge.strict && !inputs.notes().empty()) return fail("{}", inputs.notes().front());
  for (const auto& text : inputs.notes())
    report::print(stderr, "pgokit {}: warning: {}\n", merge.command, text);
  if (!has_maps)
    return fail("no map is among the inputs: 'pgokit map PROGRAM -o app.map' makes one");
  auto profile = inputs.merger().finish();
  if (inputs.dump_files() && facts.dumps == 0)
    return fail(
        "no dump could be used: is the map that of the program that ran? {} writes one when it "
        "ends "
        "by exit(), or returns from main; with %c in PGOKIT_PROFILE_FILE also if it ends otherwise",
        names_of(profile));
  if (inputs.has_unusable() && dumps_of(profile) == 0)
    return fail("no dump could be used, and a map alone is no profile: nothing is written");
  if (!merge.onto.empty()) profile = TRY(carried_over(merge, profile));
  auto output = TRY(OutputFile::create(merge.output));
  output.write(instrument::write_profile(profile));
  return MadeInstrumented{std::move(output), outcome_of(merge, profile, facts),
                          inputs.notes().empty() ? 0 : some_left_out};
}

Result<int> merge_instrumented(const InstrumentedMerge& merge) {
  auto made = TRY(make_instrumented(merge));
  TRY(made.output.commit());
  if (!merge.quiet) report::print(stderr, "{}", report::lines(made.outcome));
  return made.code;
}

}  // namespace pgokit::cli
