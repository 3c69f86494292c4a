#include "cli/views/inlined_function.h"

#include "cli/views/source_listing.h"
#include "cli/views/source_rows.h"
#include "report/function_names.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {

using report::grouped;
using report::Json;
using report::percent;

std::string inlined_text(const InlinedView& view) {
  const auto& one = *view.inlined;
  const auto& table = view.program->functions();
  report::FunctionNames names(view.mangled);
  names.add(one.name);
  std::vector<std::string_view> remarked{
      one.name};  // of copies: those of the functions they are in
  for (const auto& host : one.hosts) {
    names.add(table.name(host.function));
    remarked.push_back(table.name(host.function));
  }
  RemarkRows remarks(view.remarks, remarked);
  auto text = report::format("function   {}\n", names.of(one.name));
  text += report::format("share      {} of the instructions run, all of it inlined\n",
                         percent(one.instructions, view.instructions));
  if (one.sources.empty()) text += "source     not known: compile with -g\n";
  for (size_t i = 0; i < one.sources.size(); ++i) {
    if (i) text += "\n";
    add_source_lines(one.sources[i].file, one.sources[i].lines, remarks, text);
  }
  text +=
      report::format("\n{:>{}}  instructions run where it was inlined; --annotate shows the code\n",
                     "count", SourceRows::count_width);
  for (const auto& host : one.hosts)
    text += report::format("{:>{}}  {}\n", grouped(host.instructions), SourceRows::count_width,
                           names.of(table.name(host.function)));
  return text;
}

Json inlined_json(const InlinedView& view) {
  const auto& one = *view.inlined;
  Json sources = Json::array(), hosts = Json::array(), json = Json::object();
  for (const auto& source : one.sources)
    sources.push(
        std::move(Json::object().set("file", source.file).set("lines", lines_json(source.lines))));
  for (const auto& host : one.hosts)
    hosts.push(std::move(Json::object()
                             .set("function", view.program->functions().name(host.function))
                             .set("instructions", host.instructions)));
  json.set("function", one.name).set("instructions", one.instructions);
  json.set("sources", std::move(sources)).set("inlined_in", std::move(hosts));
  return json;
}

}  // namespace pgokit::cli
