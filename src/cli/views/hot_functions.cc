#include "cli/views/hot_functions.h"

#include <span>

#include "report/function_names.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using annotate::FunctionList;
using annotate::ListedFunction;
using report::grouped;
using report::Json;
using report::percent;

std::string row_of(const FunctionList& list, const ListedFunction& one) {
  std::string row = report::format("{:>8}", percent(list.weight(one), list.all()));
  if (list.has_samples) row += report::format(" {:>13}", grouped(one.samples));
  if (!list.of_profile) row += report::format(" {:>18}", grouped(one.instructions));
  row += report::format(" {:>13} {:>13}", grouped(one.entries), grouped(one.hottest));
  if (!list.of_profile)
    row += report::format(" {:>8} {:>9}", grouped(one.bytes), percent(one.ran_bytes, one.bytes, 0));
  return row;
}

std::string heading(const FunctionList& list) {
  std::string row = report::format("{:>8}", "share");
  if (list.has_samples) row += report::format(" {:>13}", "samples");
  if (!list.of_profile) row += report::format(" {:>18}", "instructions run");
  row += report::format(" {:>13} {:>13}", "entries", "hottest place");
  if (!list.of_profile) row += report::format(" {:>8} {:>9}", "bytes", "that ran");
  return row + "  function\n";
}

Json function_json(const FunctionList& list, const ListedFunction& one) {
  Json json = Json::object();
  json.set("name", one.name);
  if (list.has_samples) json.set("samples", one.samples);
  if (!list.of_profile) json.set("instructions", one.instructions);
  json.set("entries", one.entries).set("hottest", one.hottest);
  if (!list.of_profile) json.set("bytes", one.bytes).set("ran_bytes", one.ran_bytes);
  return json;
}

}  // namespace

std::string hot_functions_text(const FunctionList& list, const HotFunctionsView& view) {
  auto shown = std::span(list.functions);
  if (view.top && view.top < shown.size()) shown = shown.first(static_cast<size_t>(view.top));
  std::string text = heading(list);
  auto names = report::name_column(shown, &ListedFunction::name, view.mangled);
  for (size_t i = 0; i < shown.size(); ++i)
    text += report::format("{}  {}\n", row_of(list, shown[i]), names[i]);
  if (shown.size() < list.functions.size())
    text += report::format("... and {} more (--top 0 shows all)\n",
                           grouped(list.functions.size() - shown.size()));
  return text;
}

Json hot_functions_json(const FunctionList& list) {
  Json functions = Json::array(), json = Json::object();
  for (const auto& one : list.functions) functions.push(function_json(list, one));
  if (list.has_samples) json.set("samples", list.samples);
  if (!list.of_profile) json.set("instructions", list.instructions);
  json.set("functions", std::move(functions));
  return json;
}

}  // namespace pgokit::cli
