#include "cli/views/explanation.h"

#include <algorithm>

#include "base/shell_word.h"
#include "block_map/block_map.h"
#include "cli/built_programs.h"
#include "cli/compilers.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using analysis::description_of;
using analysis::ExplainedFunction;
using report::counted;
using report::grouped;
using report::Json;
using report::percent;

std::string build_text(const ExplanationView& v) {
  std::string text;
  for (size_t i = 0; i < v.programs.size(); ++i) {
    const auto& facts = *v.facts[i];
    text += report::format("program    {}, build id {}{}\n", v.programs[i],
                           facts.build_id.empty() ? "none" : facts.build_id,
                           facts.producer.empty() ? "" : ", by " + short_producer(facts.producer));
  }
  text +=
      v.compiled->has_remarks()
          ? report::format("remarks    {} in {}\n", grouped(v.compiled->remarks()),
                           counted(v.remarks.size(), "file"))
          : "remarks    none: compile with -fsave-optimization-record, and give --remarks FOLDER\n";
  if (v.compiled->has_entry_counts()) return text + "block map  with the compiler's counts\n";
  text += report::format("block map  {}: compile with {}\n",
                         v.compiled->has_block_map() ? "without the compiler's counts" : "none",
                         block_map::options_for_beliefs);
  return text + report::format("           ({})\n", block_map::options_with_lto);
}

// From the recording to the counts that a profile is made of.
std::string recording_text(const pipeline::Road& road) {
  const auto& input = road.input;
  const auto& use = input.use;
  std::string text = report::format("\nrecording  {}, of {}\n", road.options.read.inputs.front(),
                                    road.program->path());
  auto step = [&](u64 count, u64 all, std::string_view what) {
    text += report::format("{:>15}  {:>7}  {}\n", grouped(count), percent(count, all), what);
  };
  if (use.samples()) {
    step(use.samples(), use.samples(), "samples");
    step(use.used(), use.samples(), "of the program");
    for (const auto& cause : samples::drop_causes)
      if (u64 dropped = use[cause.fate])
        text +=
            report::format("{:>24}  not used: {} {}\n", "", counted(dropped, "sample"), cause.text);
  }
  const auto& ranges = input.ranges;
  if (ranges.total == 0) return text;
  step(ranges.total, ranges.total, "ranges of code between branches");
  step(ranges.total - ranges.outside_functions, ranges.total, "in functions that are known");
  return text;
}

Json recording_json(const pipeline::Road& road) {
  const auto& use = road.input.use;
  Json dropped = Json::object();
  for (const auto& cause : samples::drop_causes) dropped.set(cause.key, use[cause.fate]);
  return std::move(Json::object()
                       .set("path", road.options.read.inputs.front())
                       .set("program", road.program->path())
                       .set("samples", use.samples())
                       .set("used", use.used())
                       .set("dropped", std::move(dropped))
                       .set("ranges", road.input.ranges.total)
                       .set("ranges_in_functions",
                            road.input.ranges.total - road.input.ranges.outside_functions));
}

std::string funnel_text(const ExplanationView& v) {
  const auto& funnel = v.told->funnel;
  auto step = [&](u64 samples, std::string_view what) {
    return report::format("{:>15}  {:>7}  {}\n", grouped(samples), percent(samples, funnel.samples),
                          what);
  };
  std::string text = "\nsamples\n" + step(funnel.samples, "in the profile");
  text += step(funnel.in_program, "of functions that the program has");
  text += step(funnel.matched, "of functions that did not change");
  if (funnel.believed) {
    text += step(*funnel.believed, "used by the compiler");
    if (funnel.lost_places)
      text += report::format("{:>24}  not used: {} at places that it had no code for\n", "",
                             counted(funnel.lost_places, "sample"));
    return text;
  }
  text += report::format(
      "{:>15}  {:>7}  used by the compiler: neither remarks nor a block map tell\n", "?", "");
  if (std::ranges::all_of(v.facts, [](const auto* facts) {
        return compiler_of(facts->producer).family == CompilerFamily::clang;
      }))
    text += report::format("{:>24}  next: a build by 'pgokit flags use={} --explain'\n", "",
                           shell_word(v.profile));
  return text;
}

std::string findings_text(const ExplanationView& v) {
  std::string text = "\nwhy\n";
  for (const auto& finding : v.told->findings) {
    const auto& description = description_of(finding.cause);
    text += report::format("  {:>7}  {:<20}  {}: {}\n",
                           percent(finding.samples, v.told->funnel.samples), description.name,
                           counted(finding.functions, "function"), description.sentence);
    if (!description.next.empty() && 1000 * finding.samples >= v.told->funnel.samples)
      text += report::format("           next: {}\n", description.next);
  }
  return text;
}

// What the compiler did with a function, in a few words.
std::string compiled_text(const analysis::CompiledFunction* f) {
  if (!f) return "";
  std::string text;
  auto add = [&](bool holds, std::string words) {
    if (holds) text += (text.empty() ? "" : ", ") + std::move(words);
  };
  add(f->inlined, counted(f->inlined, "call") + " inlined");
  add(f->not_inlined, grouped(f->not_inlined) + " not inlined");
  add(f->promoted, grouped(f->promoted) + " promoted");
  add(f->vectorized, grouped(f->vectorized) + " vectorized");
  add(f->unrolled, grouped(f->unrolled) + " unrolled");
  add(f->ranges > 1, "split");
  add(f->reordered, "blocks laid out anew");
  add(f->entry_count, "entered " + grouped(f->entry_count));
  return text;
}

std::string functions_text(const ExplanationView& v) {
  auto shown = shown_functions(v);
  auto names = report::name_column(shown, &ExplainedFunction::name, v.mangled);
  std::string text = "\nfunctions\n";
  for (size_t i = 0; i < shown.size(); ++i) {
    auto compiled = compiled_text(shown[i]->compiled);
    text += report::format(
        "  {:>7}  {:<20}  {}{}{}\n", percent(shown[i]->samples, v.told->funnel.samples),
        description_of(shown[i]->cause).name, names[i], compiled.empty() ? "" : "   ", compiled);
  }
  u64 all = v.told->functions.size();
  if (v.function.empty() && shown.size() < all)
    text += report::format("  ... and {} more (--top 0 shows all)\n", grouped(all - shown.size()));
  return text;
}

// The sentence that answers "was it used?".
std::string verdict_text(const ExplanationView& v) {
  const auto& funnel = v.told->funnel;
  const auto& first = v.told->findings.front();
  u64 lost = 0;
  for (const auto& finding : v.told->findings)
    if (analysis::is_loss(finding.cause)) lost += finding.samples;
  if (funnel.believed && *funnel.believed < funnel.matched / 2)
    return report::format(
        "the compiler used only {} of the samples: was it built with this profile?",
        percent(*funnel.believed, funnel.samples));
  // Less than a thousandth is nobody's concern.
  if (!analysis::is_loss(first.cause) || lost < funnel.samples / 1000)
    return funnel.believed ? "used" : "it fits; whether it was used, the build does not tell";
  if (first.cause == analysis::Cause::thin)  // clang takes what there is
    return report::format("{}, but {} of the samples are of functions with too few: {}",
                          funnel.believed ? "used" : "it fits",
                          percent(first.samples, funnel.samples), description_of(first.cause).name);
  return report::format("{} of the samples are lost, most by: {}", percent(lost, funnel.samples),
                        description_of(first.cause).name);
}

Json compiled_json(const analysis::CompiledFunction& f) {
  Json json = Json::object();
  if (f.in_remarks)
    json.set("applied_samples", f.applied)
        .set("inlined", f.inlined)
        .set("not_inlined", f.not_inlined)
        .set("promoted", f.promoted)
        .set("vectorized", f.vectorized)
        .set("unrolled", f.unrolled);
  if (f.in_block_map)
    json.set("entry_count", f.entry_count)
        .set("blocks", f.blocks)
        .set("split", f.ranges > 1)
        .set("reordered", f.reordered);
  return json;
}

}  // namespace

std::vector<const ExplainedFunction*> shown_functions(const ExplanationView& v) {
  std::vector<const ExplainedFunction*> shown;
  for (const auto& function : v.told->functions) {
    if (v.function.empty()) {
      if (v.top && shown.size() == v.top) break;
    } else if (!report::has_in_name(function.name, v.function)) {
      continue;
    }
    shown.push_back(&function);
  }
  return shown;
}

std::string explanation_text(const ExplanationView& v) {
  std::string text = report::format("profile    {}: by {}, {}{}, density {}\n", v.profile,
                                    v.model->flags.probe_based ? "probes" : "lines",
                                    counted(v.told->functions.size(), "function"),
                                    v.told->functions.size() > v.model->functions().size()
                                        ? " with those that were inlined everywhere"
                                        : "",
                                    report::fixed(v.density));
  text += build_text(v);
  text += report::format("verdict    {}\n", verdict_text(v));
  if (v.function.empty()) {
    if (v.profiled) text += recording_text(*v.profiled);
    text += funnel_text(v) + findings_text(v);
  }
  text += functions_text(v);
  return v.branches ? text + beliefs_text(*v.branches) : text;
}

std::string explanation_json(const ExplanationView& v) {
  const auto& funnel = v.told->funnel;
  Json samples = Json::object();
  samples.set("profile", funnel.samples)
      .set("in_program", funnel.in_program)
      .set("matched", funnel.matched)
      .set("lost_places", funnel.lost_places)
      .set("used", funnel.believed ? Json(*funnel.believed) : Json());
  Json findings = Json::array(), functions = Json::array(), remarks = Json::array();
  for (const auto& finding : v.told->findings) {
    const auto& description = description_of(finding.cause);
    findings.push(std::move(Json::object()
                                .set("cause", description.name)
                                .set("is_loss", analysis::is_loss(finding.cause))
                                .set("functions", finding.functions)
                                .set("samples", finding.samples)
                                .set("next", description.next)));
  }
  for (const auto* function : shown_functions(v)) {
    Json one = Json::object();
    one.set("name", function->name)
        .set("cause", description_of(function->cause).name)
        .set("samples", function->samples);
    if (function->compiled) one.set("compiled", compiled_json(*function->compiled));
    functions.push(std::move(one));
  }
  for (const auto& file : v.remarks) remarks.push(file);
  Json json = Json::object();
  json.set("profile", v.profile);
  add_programs(json, v.programs);
  json.set("probes", v.model->flags.probe_based)
      .set("density", v.density)
      .set("remarks", std::move(remarks))
      .set("block_map", v.compiled->has_block_map())
      .set("entry_counts", v.compiled->has_entry_counts())
      .set("samples", std::move(samples))
      .set("findings", std::move(findings))
      .set("functions", std::move(functions));
  if (v.profiled) json.set("recording", recording_json(*v.profiled));
  if (v.branches) json.set("branches", beliefs_json(*v.branches));
  return json.text() + "\n";
}

}  // namespace pgokit::cli
