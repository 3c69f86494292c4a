#include "cli/views/bisection.h"

#include "base/function_name.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using bisect::Culprit;
using bisect::Site;
using report::counted;
using report::Json;

std::string change_of(const measure::Ratio& ratio) {
  return fmt::format("{:.1f} % faster without, {:.1f} to {:.1f} %", 100 * (1 - ratio.value),
                     100 * (1 - ratio.high), 100 * (1 - ratio.low));
}

auto source_of(const BisectionView& view, const std::string& function, const Site& site) {
  return view.places.find(canonical_function_name(function), site.at);
}

// "kernel.c:4 (line 3 of it)": from the function's first line on, as profiles count.
std::string place_text(const BisectionView& view, const std::string& function, const Site& site) {
  auto own = fmt::format("{} {}", view.outcome->by_probes ? "probe" : "line", site.at.line_offset);
  if (site.at.discriminator) own += fmt::format(".{}", site.at.discriminator);
  auto source = source_of(view, function, site);
  if (!source) return own + " of it";
  return report::format("{}:{} ({} of it)", source->file, source->line, own);
}

std::string site_text(const BisectionView& view, const std::string& function, const Site& site,
                      const report::FunctionNames& names) {
  auto place = place_text(view, function, site);
  if (site.kind == Site::Kind::place) return place;
  auto callee = names.of(site.callee);
  return site.kind == Site::Kind::target ? report::format("{}, calls of {}", place, callee)
                                         : report::format("{}, {} inlined", place, callee);
}

std::string culprit_text(const BisectionView& view, const Culprit& culprit,
                         const report::FunctionNames& names) {
  if (!culprit.is_whole && culprit.sites.empty())
    return report::format("more      something among {} of {} is slower; --builds N tells what\n",
                          counted(culprit.unresolved_sites, "site"),
                          names.of(culprit.functions[0]));
  auto text = report::format("found     {} ({})\n", names.of(culprit.functions[0]),
                             change_of(culprit.ratio));
  for (size_t i = 1; i < culprit.functions.size(); ++i)
    text += report::format("          together with {}\n", names.of(culprit.functions[i]));
  for (const auto& found : culprit.sites) {
    auto site = [&](size_t i) {
      return site_text(view, culprit.functions[0], found.sites[i], names);
    };
    text += report::format("  by      {}", site(0));
    // Of a single one that is left out the change stands above.
    if (culprit.sites.size() > 1 || culprit.is_whole)
      text += fmt::format(": {}", change_of(found.ratio));
    text += '\n';
    for (size_t i = 1; i < found.sites.size(); ++i)
      text += report::format("          together with {}\n", site(i));
  }
  if (culprit.unresolved_sites)
    text += fmt::format("          something among {} of it is slower; --builds N tells what\n",
                        counted(culprit.unresolved_sites, "other site"));
  else if (culprit.is_whole && !culprit.sites.empty())
    text += "          without all of it, it is faster still\n";
  return text;
}

Json site_json(const BisectionView& view, const std::string& function, const Site& site) {
  auto source = source_of(view, function, site);
  auto json = Json::object();
  json.set("kind", site.kind == Site::Kind::place    ? "place"
                   : site.kind == Site::Kind::target ? "target"
                                                     : "inlinee");
  json.set(view.outcome->by_probes ? "probe" : "line", site.at.line_offset);
  json.set("discriminator", site.at.discriminator);
  json.set("callee", site.callee.empty() ? Json() : Json(site.callee));
  json.set("samples", site.samples);
  json.set("file", source ? Json(source->file) : Json());
  json.set("source_line", source ? Json(source->line) : Json());
  return json;
}

void set_ratio(Json& json, const measure::Ratio& ratio) {
  json.set("ratio", ratio.value).set("low", ratio.low).set("high", ratio.high);
}

Json culprit_json(const BisectionView& view, const Culprit& culprit) {
  auto json = Json::object(), functions = Json::array(), sites = Json::array();
  for (const auto& function : culprit.functions) functions.push(function);
  json.set("functions", std::move(functions));
  set_ratio(json, culprit.ratio);
  for (const auto& found : culprit.sites) {
    auto one = Json::object(), together = Json::array();
    for (const auto& site : found.sites) together.push(site_json(view, culprit.functions[0], site));
    one.set("sites", std::move(together));
    set_ratio(one, found.ratio);
    sites.push(std::move(one));
  }
  json.set("sites", std::move(sites)).set("whole", culprit.is_whole);
  json.set("unresolved_sites", culprit.unresolved_sites);
  return json;
}

}  // namespace

std::string bisection_text(const BisectionView& view) {
  const auto& outcome = *view.outcome;
  report::FunctionNames names(view.mangled);
  for (const auto& culprit : outcome.culprits) {
    for (const auto& function : culprit.functions) names.add(function);
    for (const auto& found : culprit.sites)
      for (const auto& site : found.sites)
        if (!site.callee.empty()) names.add(site.callee);
  }
  auto text =
      report::format("functions {} in {}\nbuilds    {}\n", report::grouped(outcome.functions),
                     view.profile, report::grouped(outcome.builds));
  for (const auto& culprit : outcome.culprits) text += culprit_text(view, culprit, names);
  if (!outcome.unresolved.empty())
    text += fmt::format("more      something among {} is slower; --builds N tells what\n",
                        counted(outcome.unresolved.size(), "other function"));
  else if (outcome.culprits.empty())
    text += report::format("none      no {} was found whose profile makes the program slower{}\n",
                           view.only.empty() ? "function" : "site of it",
                           outcome.exhausted ? "; --builds N looks further" : "");
  if (!outcome.output.empty())
    text += report::format("wrote     {}, without them\n", outcome.output);
  return text;
}

std::string bisection_json(const BisectionView& view) {
  const auto& outcome = *view.outcome;
  auto json = Json::object(), culprits = Json::array(), unresolved = Json::array();
  for (const auto& culprit : outcome.culprits) culprits.push(culprit_json(view, culprit));
  json.set("functions", outcome.functions).set("builds", outcome.builds);
  json.set("culprits", std::move(culprits)).set("output", outcome.output);
  for (const auto& function : outcome.unresolved) unresolved.push(function);
  json.set("unresolved", std::move(unresolved)).set("exhausted", outcome.exhausted);
  return json.text() + "\n";
}

}  // namespace pgokit::cli
