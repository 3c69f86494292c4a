#include "cli/views/comparison.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/function_name.h"
#include "base/named_function.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using analysis::FunctionOverlap;
using analysis::Level;
using analysis::Mover;
using analysis::Movers;
using profile::Columns;
using report::as_percent;
using report::grouped;
using report::Json;
using report::percent;
using report::percent_change;

// What is counted, and where.
struct Words {
  std::string_view counts, places;
};
Words words_of(const Compared& c) {
  return c.counted ? Words{"counts", "counters"} : Words{"samples", "places"};
}

// Static functions of instrumentation profiles are "file;name".
std::pair<std::string_view, std::string_view> file_and_name(std::string_view name) {
  size_t at = name.find(';');
  if (at == name.npos) return {{}, name};
  return {name.substr(0, at), name.substr(at + 1)};
}
void add_name(report::FunctionNames& names, std::string_view name) {
  auto [file, function] = file_and_name(name);
  file.empty() ? names.add_context(name) : names.add(function, file);
}
std::string shown_name(const report::FunctionNames& names, std::string_view name) {
  auto [file, function] = file_and_name(name);
  return file.empty() ? names.of_context(name) : names.of(function, file);
}

std::span<const Mover> shown(const std::vector<Mover>& movers, u64 top) {
  return std::span(movers).first(top && top < movers.size() ? top : movers.size());
}

// Those that did not move are no movers: they have their share, and their places have theirs.
Movers really_moved(Movers movers) {
  constexpr double alike = 0.9995;  // as it is printed
  std::erase_if(movers.moved,
                [](const Mover& m) { return m.change() == 0 && m.similarity >= alike; });
  return movers;
}

void list(std::string& text, std::string_view title, const std::vector<Mover>& movers, u64 top,
          const report::FunctionNames& names) {
  if (movers.empty()) return;
  text += report::format("\n{:>9} {:>9} {:>9} {:>8}  {}\n", "A", "B", "change", "alike", title);
  auto lines = shown(movers, top);
  for (const auto& mover : lines)
    text += report::format("{:>9} {:>9} {:>9} {:>8}  {}\n", as_percent(mover.base_share, 2),
                           as_percent(mover.test_share, 2), percent_change(mover.change(), 2),
                           as_percent(mover.similarity), shown_name(names, mover.name));
  if (lines.size() < movers.size())
    text += report::format("... and {} more (--top 0 shows all)\n",
                           grouped(movers.size() - lines.size()));
}

void lists(std::string& text, const Compared& c, Level level, std::string_view what) {
  auto movers = really_moved(find_movers(c.overlap, c.base, c.test, level));
  report::FunctionNames names(c.mangled);
  for (const auto* some : {&movers.moved, &movers.added, &movers.vanished})
    for (const auto& mover : shown(*some, c.top)) add_name(names, mover.name);
  list(text, report::format("{}s that moved", what), movers.moved, c.top, names);
  list(text, report::format("{}s only in B", what), movers.added, c.top, names);
  list(text, report::format("{}s only in A", what), movers.vanished, c.top, names);
}

std::string both_of(const analysis::HotOverlap& hot) {
  return report::format("{} of {} ({})", grouped(hot.both), grouped(hot.either),
                        percent(hot.both, hot.either));
}

// Samples of a place by where it is: inlinees in front, outermost first.
struct PlaceCounts {
  u64 base = 0, test = 0;
};
using Places = std::map<std::pair<std::vector<std::string>, profile::LineLocation>, PlaceCounts>;

void collect(const Columns& columns, const Columns::Part& part, u32 node,
             const std::vector<std::string>& callers, u64 PlaceCounts::* side, Places& places) {
  for (const auto& place : part.places_of(node))
    places[{callers, place.location}].*side += place.samples;
  std::string scratch;
  for (u32 i = node + 1; i < part.nodes[node].end; i = part.nodes[i].end) {
    const auto& inlinee = part.nodes[i];
    auto inner = callers;
    inner.push_back(report::format("{}{}: {}", inlinee.call_site.line_offset,
                                   inlinee.call_site.discriminator
                                       ? report::format(".{}", inlinee.call_site.discriminator)
                                       : "",
                                   columns.text(inlinee.name, scratch)));
    collect(columns, part, i, inner, side, places);
  }
}

// The linkage names of both profiles that are meant, in any way that people write them; or it is
// a context.
Result<std::set<std::string>> names_meant(const Compared& c) {
  std::set<std::string> all, meant;
  std::string scratch;
  for (const auto* columns : {&c.base, &c.test})
    for (const auto& top : columns->functions)
      all.emplace(columns->text(columns->node(top).name, scratch));
  std::vector<FunctionNamed> names;
  for (const auto& name : all) names.push_back({name});
  for (size_t i : TRY(functions_meant(c.function, names))) meant.emplace(names[i].name);
  return meant;
}

bool is_wanted(const Columns& columns, u32 function, const std::string& name,
               const std::set<std::string>& meant) {
  const auto& top = columns.functions[function];
  std::string scratch;
  const auto& id = columns.names[columns.node(top).name];
  if (id.is_guid && id.guid == function_guid(name)) return true;
  return meant.contains(std::string(columns.text(columns.node(top).name, scratch))) ||
         columns.context_text(top) == name;
}

struct FunctionDetail {
  const FunctionOverlap* overlap;
  std::string name;
  Places places;
};

std::vector<FunctionDetail> details(const Compared& c) {
  std::vector<FunctionDetail> found;
  auto meant = names_meant(c).value_or(std::set<std::string>());
  for (const auto& function : c.overlap.functions) {
    bool in_base = function.base != FunctionOverlap::absent;
    bool in_test = function.test != FunctionOverlap::absent;
    bool wanted = (in_base && is_wanted(c.base, function.base, c.function, meant)) ||
                  (in_test && is_wanted(c.test, function.test, c.function, meant));
    if (!wanted) continue;
    auto& detail = found.emplace_back();
    detail.overlap = &function;
    if (in_base) {
      const auto& top = c.base.functions[function.base];
      detail.name = c.base.context_text(top);
      collect(c.base, c.base.part(top), top.node, {}, &PlaceCounts::base, detail.places);
    }
    if (in_test) {
      const auto& top = c.test.functions[function.test];
      detail.name = c.test.context_text(top);
      collect(c.test, c.test.part(top), top.node, {}, &PlaceCounts::test, detail.places);
    }
  }
  return found;
}

// An inlinee's place in its caller, and its name.
std::pair<std::string_view, std::string_view> inlinee_of(std::string_view caller) {
  size_t name = caller.find(": ") + 2;
  return {caller.substr(0, name), caller.substr(name)};
}

std::string place_text(const Compared& c, const Places::key_type& place,
                       const report::FunctionNames& names) {
  if (c.counted)
    return report::format("{} of {:08x}", place.second.line_offset, place.second.discriminator);
  std::string text;
  for (const auto& caller : place.first) {
    auto [at, name] = inlinee_of(caller);
    text += report::format("{}{} > ", at, names.of(name));
  }
  text += report::format("{}", place.second.line_offset);
  if (place.second.discriminator) text += report::format(".{}", place.second.discriminator);
  return text;
}

void detail_text(std::string& text, const Compared& c) {
  auto found = details(c);
  report::FunctionNames names(c.mangled);
  for (const auto& detail : found) {
    add_name(names, detail.name);
    for (const auto& [place, counts] : detail.places)
      for (const auto& caller : place.first) names.add(inlinee_of(caller).second);
  }
  for (const auto& [overlap, name, places] : found) {
    text += report::format("\n{}: {} -> {} {}, {} alike\n", shown_name(names, name),
                           grouped(overlap->base_samples), grouped(overlap->test_samples),
                           words_of(c).counts, as_percent(overlap->similarity));
    text += report::format("{:>15} {:>15} {:>9} {:>9}  {}\n", "A", "B", "A", "B",
                           c.counted ? "counter, of which control flow" : "place");
    for (const auto& [place, counts] : places)
      text += report::format("{:>15} {:>15} {:>9} {:>9}  {}\n", grouped(counts.base),
                             grouped(counts.test), percent(counts.base, overlap->base_samples, 2),
                             percent(counts.test, overlap->test_samples, 2),
                             place_text(c, place, names));
  }
}

Json mover_json(const Mover& mover) {
  return std::move(Json::object()
                       .set("name", mover.name)
                       .set("base_samples", mover.base_samples)
                       .set("test_samples", mover.test_samples)
                       .set("base_share", mover.base_share)
                       .set("test_share", mover.test_share)
                       .set("change", mover.change())
                       .set("similarity", mover.similarity));
}

Json list_json(const std::vector<Mover>& movers, u64 top) {
  Json list = Json::array();
  for (const auto& mover : shown(movers, top)) list.push(mover_json(mover));
  return list;
}

Json movers_json(const Movers& movers, u64 top) {
  return std::move(Json::object()
                       .set("moved", list_json(movers.moved, top))
                       .set("added", list_json(movers.added, top))
                       .set("vanished", list_json(movers.vanished, top)));
}

Json hot_json(const analysis::HotOverlap& hot) {
  return std::move(Json::object()
                       .set("base", hot.base)
                       .set("test", hot.test)
                       .set("both", hot.both)
                       .set("either", hot.either));
}

Json detail_json(const Compared& c, const FunctionDetail& detail) {
  Json places = Json::array();
  for (const auto& [place, counts] : detail.places)
    places.push(std::move(Json::object()
                              .set("place", place_text(c, place, report::FunctionNames(true)))
                              .set("base", counts.base)
                              .set("test", counts.test)));
  return std::move(Json::object()
                       .set("name", detail.name)
                       .set("base_samples", detail.overlap->base_samples)
                       .set("test_samples", detail.overlap->test_samples)
                       .set("similarity", detail.overlap->similarity)
                       .set("places", std::move(places)));
}

std::string named(std::string_view letter, const std::string& path, const std::string& program) {
  return report::format("{:<10} {}{}{}\n", letter, path, program.empty() ? "" : ", of ", program);
}

}  // namespace

Status check_function(const Compared& c) {
  if (c.function.empty() || !details(c).empty()) return {};
  TRY_IN(fmt::format("each of {} and {}", c.base_path, c.test_path), names_meant(c));
  return {};
}

// Overlap then tells of little but that, as when one is sampled and the other exact.
bool totals_differ(const analysis::Overlap& o) {
  constexpr u64 much = 4;
  auto [less, more] = std::minmax(o.base_samples, o.test_samples);
  return less > 0 && more / less >= much;
}

std::string compare_text(const Compared& c) {
  const auto& o = c.overlap;
  std::string text = named("A", c.base_path, c.base_program);
  text += named("B", c.test_path, c.test_program);
  text += report::format("similarity {}\noverlap    {} of {}\nshares     {} in common{}\n",
                         as_percent(o.similarity, 2), as_percent(o.sample_share(), 2),
                         words_of(c).counts, as_percent(o.common, 2),
                         totals_differ(o) ? ": go by these, as the totals differ much" : "");
  text += report::format("{:<10} {} -> {}; {} and {} where the other has none\n",
                         words_of(c).counts, grouped(o.base_samples), grouped(o.test_samples),
                         percent(o.base_unique, o.base_samples, 2),
                         percent(o.test_unique, o.test_samples, 2));
  bool contexts = c.base.flags.context_sensitive;
  text += report::format("{:<10} {} -> {}; {} in both, {} only in A, {} only in B\n",
                         contexts ? "contexts" : "functions", grouped(o.base_functions),
                         grouped(o.test_functions), grouped(o.matched_functions),
                         grouped(o.base_functions - o.matched_functions),
                         grouped(o.test_functions - o.matched_functions));
  text +=
      report::format("hot        {} {}, {} of {} in both\n", contexts ? "contexts" : "functions",
                     both_of(o.hot_functions), both_of(o.hot_places), words_of(c).places);
  if (!c.function.empty()) return detail_text(text, c), text;
  lists(text, c, Level::function, "function");
  if (contexts) lists(text, c, Level::context, "context");
  return text;
}

std::string compare_json(const Compared& c) {
  const auto& o = c.overlap;
  Json json = Json::object();
  if (!c.base_program.empty()) json.set("base_program", c.base_program);
  if (!c.test_program.empty()) json.set("test_program", c.test_program);
  json.set("base", c.base_path)
      .set("test", c.test_path)
      .set("similarity", o.similarity)
      .set("shares_in_common", o.common)
      .set("overlap", o.sample_share())
      .set("base_samples", o.base_samples)
      .set("test_samples", o.test_samples)
      .set("base_unique_samples", o.base_unique)
      .set("test_unique_samples", o.test_unique)
      .set("base_functions", o.base_functions)
      .set("test_functions", o.test_functions)
      .set("matched_functions", o.matched_functions)
      .set("hot_functions", hot_json(o.hot_functions))
      .set("hot_places", hot_json(o.hot_places));
  if (!c.function.empty()) {
    Json list = Json::array();
    for (const auto& detail : details(c)) list.push(detail_json(c, detail));
    json.set("function", std::move(list));
    return json.text() + "\n";
  }
  json.set("functions",
           movers_json(really_moved(find_movers(o, c.base, c.test, Level::function)), c.top));
  if (c.base.flags.context_sensitive)
    json.set("contexts",
             movers_json(really_moved(find_movers(o, c.base, c.test, Level::context)), c.top));
  return json.text() + "\n";
}

}  // namespace pgokit::cli
