#include "analysis/explanation.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/old_functions.h"
#include "analysis/quality.h"
#include "analysis/renamed.h"
#include "base/function_name.h"
#include "base/saturated.h"
#include "profile/model/summary.h"

namespace pgokit::analysis {
namespace {

constexpr std::array<Description, causes> descriptions{{
    {"other-program", "of another program: hardly any of its functions is in this one",
     "give the program that the profile was made from, or a newer build of it; of a profile of "
     "several programs or libraries give each with -b"},
    {"no-probes", "profiled by probes, which this program has not",
     "compile with -fpseudo-probe-for-profiling, as the profiled program was, and give the file "
     "before it is stripped"},
    {"no-debug-information", "profiled by lines, and this program hardly has debug information",
     "compile with -g -fdebug-info-for-profiling"},
    {"not-found", "not in the program by that name",
     "pgokit match finds renamed ones; else make the profile anew; those of other programs or "
     "libraries are found where each is given with -b"},
    {"unique-names", "static, named with .__uniq. in one of both only",
     "compile both builds with -funique-internal-linkage-names"},
    {"other-path", "static, in the program by the path of another source file",
     "pgokit match moves their samples; else compile both builds with the flags of pgokit flags "
     "profile --root SOURCES"},
    {"stale", "changed since the profile was made, or compiled with other options",
     "pgokit match moves their samples; else make the profile anew"},
    {"no-discriminators", "with several blocks on a line, which the profile cannot tell apart",
     "compile the program to be profiled with -fdebug-info-for-profiling"},
    {"not-used", "the compiler used no profile", "compile with -fprofile-sample-use=PROFILE"},
    {"not-applied", "the compiler put none of their samples on their code",
     "look whether these files were compiled with -fprofile-sample-use"},
    {"thin", "too few samples to tell branches by", "record for longer, or merge recordings"},
    {"used", "used by the compiler", ""},
    {"fits", "fitting; the build does not tell whether they were used", ""},
}};

class Explainer {
 public:
  Explainer(const Explained& input, const Compiled& compiled)
      : in_(input), compiled_(compiled), functions_(old_functions(*input.profile)) {
    for (const auto& name : *in_.symbols) {
      symbol_guids_.insert(function_guid(name));
      (is_unique(name) ? unique_bases_ : plain_).insert(base_name(name));
    }
  }

  Explanation explain() && {
    if (in_.shape) {
      auto fit = measure_fit(*in_.profile, *in_.shape);
      for (const auto& one : fit.functions) fit_.emplace(one.name, one);
    }
    blind_ = blind_cause();
    has_discriminators_ = have_discriminators(functions_);
    other_program_ = is_other_program();
    for (u32 i = 0; i < functions_.size(); ++i)
      if (functions_[i].used) take(NameId{i}, functions_[i]);
    finish();
    return std::move(told_);
  }

 private:
  static bool is_unique(std::string_view name) { return name.find(".__uniq.") != name.npos; }

  // What keeps the whole profile from being looked up.
  std::optional<Cause> blind_cause() const {
    if (in_.profile->flags.probe_based) {
      if (!in_.facts->probes) return Cause::no_probes;
    } else if (!in_.facts->debug || lacks_functions()) {
      return Cause::no_debug;
    }
    return {};
  }

  // Line tables alone, as clang writes them for remarks, hardly name a function.
  bool lacks_functions() const {
    u64 there = 0, described = 0;
    for (const auto& [name, fit] : fit_) {
      if (!has_symbol(name)) continue;
      ++there;
      described += fit.now && in_.shape->functions[static_cast<size_t>(*fit.now)].code_bytes > 0;
    }
    return there > 0 && described * 2 <= there;
  }

  bool in_program(NameId name) const {
    if (auto fit = fit_.find(name); fit != fit_.end())
      if (fit->second.state != Fit::State::vanished) return true;
    return has_symbol(name);
  }

  bool has_symbol(NameId name) const {
    const auto& names = in_.profile->names;
    return symbol_guids_.contains(names.is_guid(name)
                                      ? names.guid(name)
                                      : function_guid(canonical_function_name(names.text(name))));
  }

  // Without places only symbols tell, which functions that are inlined everywhere do not have.
  bool is_other_program() const {
    u64 all = 0, there = 0;
    for (u32 i = 0; i < functions_.size(); ++i) {
      if (!functions_[i].used) continue;
      ++all;
      there += in_program(NameId{i}) || has_other_unique_name(NameId{i});
    }
    if (all == 0) return false;
    u64 one_in = blind_ ? 20 : 3;
    return there == 0 || (all >= 3 && there * one_in <= all);
  }

  bool has_other_unique_name(NameId name) const {
    const auto& names = in_.profile->names;
    if (names.is_guid(name)) return false;
    auto text = names.text(name);
    return (is_unique(text) ? plain_ : unique_bases_).contains(base_name(text));
  }

  void take(NameId name, const OldFunction& function) {
    std::string text(in_.profile->names.text(name));
    const auto* compiled = compiled_.find(canonical_function_name(text));
    Cause cause = cause_of(name, function, compiled);
    auto fit = fit_.find(name);
    u64 samples = fit == fit_.end() ? function.samples : fit->second.samples;
    auto& funnel = told_.funnel;
    funnel.samples = add_saturated(funnel.samples, samples);
    if (!other_program_ && in_program(name)) funnel.in_program += samples;
    if (cause > Cause::changed) funnel.matched += samples;
    auto& finding = findings_[static_cast<size_t>(cause)];
    ++finding.functions;
    finding.samples = add_saturated(finding.samples, samples);
    told_.functions.push_back({std::move(text), cause, samples, compiled});
  }

  Cause cause_of(NameId name, const OldFunction& function, const CompiledFunction* compiled) const {
    if (blind_ && !in_.facts->symbols) return *blind_;  // stripped: there are no names to tell by
    if (other_program_) return Cause::other_program;
    if (blind_) return *blind_;
    const auto& fit = fit_.at(name);
    if (fit.state == Fit::State::vanished)
      return has_other_unique_name(name) ? Cause::unique_names : Cause::not_found;
    if (fit.state == Fit::State::other_path) return Cause::other_path;
    const auto& shape = in_.shape->functions[static_cast<size_t>(*fit.now)];
    if (fit.state == Fit::State::changed || has_other_places(function, shape))
      return Cause::changed;
    if (lacks_discriminators(function, shape)) return Cause::no_discriminators;
    return cause_by_compiler(function, compiled);
  }

  Cause cause_by_compiler(const OldFunction& function, const CompiledFunction* compiled) const {
    if (compiled_.has_remarks()) {
      if (compiled_.applied() == 0) return Cause::not_used;
      // What is inlined has its samples where it is inlined.
      bool alone = function.ran && function.samples && compiled && !compiled->inlined_elsewhere;
      if (alone && compiled->in_remarks && compiled->applied == 0) return Cause::not_applied;
    } else if (compiled_.has_entry_counts() && compiled_.believed() == 0) {
      return Cause::not_used;
    }
    if (is_thin(function)) return Cause::thin;
    return tells_use() ? Cause::used : Cause::fits;
  }

  bool tells_use() const { return compiled_.has_remarks() || compiled_.has_entry_counts(); }

  // More than half of its samples are at lines that the program's function does not have, and it
  // has others in their place: lines that are merely gone were optimized away. Of probes the
  // checksum tells.
  bool has_other_places(const OldFunction& function, const FunctionShape& shape) const {
    if (in_.profile->flags.probe_based || shape.folded_into || shape.places.empty()) return false;
    u64 elsewhere = 0, all = 0;
    for (const auto& [at, samples] : function.counts) {
      if (at.line_offset >= before_first_line) continue;
      all += samples;
      // A line that lost or got a discriminator is still that line.
      auto line = std::ranges::lower_bound(shape.places, profile::LineLocation{at.line_offset, 0});
      bool there = line != shape.places.end() && line->line_offset == at.line_offset;
      if (!there) elsewhere += samples;
    }
    return elsewhere * 2 > all && has_new_lines(function, shape);
  }

  // Code of no line counts as being far in front of the function's first one: it tells nothing.
  static constexpr u32 before_first_line = 0x8000;

  // A quarter of its lines or more are none of the profiled program's.
  static bool has_new_lines(const OldFunction& function, const FunctionShape& shape) {
    u64 lines = 0, fresh = 0;
    for (size_t i = 0; i < shape.places.size(); ++i) {
      u32 line = shape.places[i].line_offset;
      bool repeated = i > 0 && shape.places[i - 1].line_offset == line;
      if (repeated || line >= before_first_line) continue;
      auto old = std::ranges::lower_bound(function.places, profile::LineLocation{line, 0});
      ++lines;
      fresh += old == function.places.end() || old->line_offset != line;
    }
    return fresh * 4 >= lines;
  }

  // Most samples are on lines where the program has several blocks, and none of the profile is on
  // a block by itself.
  bool lacks_discriminators(const OldFunction& function, const FunctionShape& shape) const {
    if (in_.profile->flags.probe_based || in_.profile->flags.fs_discriminators) return false;
    if (has_discriminators_) return false;
    u64 shared = 0, all = 0;
    for (const auto& [at, samples] : function.counts) {
      all += samples;
      auto first = std::ranges::lower_bound(shape.places, profile::LineLocation{at.line_offset, 0});
      auto second = first == shape.places.end() ? first : first + 1;
      bool several = second != shape.places.end() && second->line_offset == at.line_offset;
      if (several) shared += samples;
    }
    return shared > 0 && shared * 4 >= all;
  }

  // A hot profile has cold functions; it is thin where its hot ones have few samples too.
  bool is_thin(const OldFunction& function) const {
    if (in_.density >= profile::dense_enough) return false;
    u64 most = 0;
    for (const auto& one : function.counts) most = std::max(most, one.samples);
    return static_cast<double>(most) < profile::dense_enough;
  }

  void finish() {
    for (size_t i = 0; i < causes; ++i) {
      findings_[i].cause = static_cast<Cause>(i);
      if (findings_[i].functions) told_.findings.push_back(findings_[i]);
    }
    std::ranges::stable_sort(told_.findings, [](const Finding& a, const Finding& b) {
      if (is_loss(a.cause) != is_loss(b.cause)) return is_loss(a.cause);
      return a.samples > b.samples;
    });
    std::ranges::sort(told_.functions, [](const auto& a, const auto& b) {
      return a.samples != b.samples ? a.samples > b.samples : a.name < b.name;
    });
    auto& funnel = told_.funnel;
    if (!tells_use()) return;
    const auto& not_used = findings_[static_cast<size_t>(Cause::not_used)];
    const auto& not_applied = findings_[static_cast<size_t>(Cause::not_applied)];
    u64 believed = funnel.matched - not_used.samples - not_applied.samples;
    if (compiled_.has_remarks() && compiled_.applied() < believed) {
      funnel.lost_places = believed - compiled_.applied();
      believed = compiled_.applied();
    }
    funnel.believed = believed;
  }

  const Explained& in_;
  const Compiled& compiled_;
  std::vector<OldFunction> functions_;
  std::map<NameId, Fit::Function> fit_;
  std::unordered_set<u64> symbol_guids_;
  std::unordered_set<std::string> unique_bases_, plain_;  // of names with .__uniq., and without
  std::optional<Cause> blind_;
  bool other_program_ = false, has_discriminators_ = false;
  std::array<Finding, causes> findings_;
  Explanation told_;
};

}  // namespace

const Description& description_of(Cause cause) { return descriptions[static_cast<size_t>(cause)]; }

bool is_loss(Cause cause) { return cause < Cause::used; }

Explanation explain(const Explained& input, const Compiled& compiled) {
  return Explainer(input, compiled).explain();
}

}  // namespace pgokit::analysis
