#include "cli/views/profile_source.h"

#include "cli/views/source_rows.h"
#include "report/function_names.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using annotate::ProfiledLine;
using report::grouped;
using report::Json;

std::string callees_row(const ProfiledLine& line, const report::FunctionNames& names) {
  constexpr size_t most = 5;
  std::string text;
  for (size_t i = 0; i < std::min(most, line.callees.size()); ++i) {
    const auto& one = line.callees[i];
    text += report::format("{}{} {} {}", i ? ", " : "", one.inlined ? "inlined" : "calls",
                           names.of(one.name), grouped(one.count));
  }
  if (line.callees.size() > most) text += fmt::format(" and {} more", line.callees.size() - most);
  return text;
}

}  // namespace

std::string profile_source_text(const annotate::ProfiledSource& source, bool mangled) {
  report::FunctionNames names(mangled);
  names.add(source.function);
  for (const auto& line : source.lines)
    for (const auto& callee : line.callees) names.add(callee.name);
  auto text =
      report::format("function   {}\nsamples    {}, {}\n", names.of(source.function),
                     grouped(source.samples), report::counted(source.entries, "entry", "entries"));
  if (!source.definition)
    return text + report::format("source     not known: {}\n", source.why_not);
  text += report::format("source     {}\n", source.definition->file);
  auto file = annotate::read_source(source.definition->file);
  SourceRows rows(file);
  text += rows.heading();
  for (const auto& line : source.lines) {
    rows.append(line.line, grouped(line.count), text, [](u32, std::string&) {});
    if (!line.callees.empty()) SourceRows::append_note(callees_row(line, names), text);
  }
  return text;
}

Json profile_source_json(const annotate::ProfiledSource& source) {
  Json json = Json::object(), lines = Json::array();
  for (const auto& line : source.lines) {
    Json callees = Json::array();
    for (const auto& callee : line.callees)
      callees.push(std::move(Json::object()
                                 .set("function", callee.name)
                                 .set("count", callee.count)
                                 .set("inlined", callee.inlined)));
    lines.push(std::move(Json::object()
                             .set("line", line.line)
                             .set("count", line.count)
                             .set("callees", std::move(callees))));
  }
  json.set("function", source.function).set("samples", source.samples);
  json.set("entries", source.entries);
  json.set("file", source.definition ? Json(source.definition->file) : Json());
  json.set("why_not", source.why_not.empty() ? Json() : Json(source.why_not));
  json.set("lines", std::move(lines));
  return json;
}

}  // namespace pgokit::cli
