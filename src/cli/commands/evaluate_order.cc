#include "cli/commands/evaluate_order.h"

#include "cli/views/order_picture.h"
#include "order/layout.h"
#include "order/placement.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::grouped;
using report::Json;

constexpr u64 page_sizes[] = {4096, 16384, 65536};

// What the traces touch in one program; mean over the traces, by their weights.
struct ProgramPages {
  std::string path;
  u64 text = 0;
  bool has_traces = false;  // else nothing tells of pages
  u64 functions = 0, missing = 0;
  std::vector<std::string> missing_names;
  double pages[std::size(page_sizes)] = {};
  double area = 0;  // of the first page size
  order::CallDistances calls;
  order::Layout layout;
  u64 text_begin = 0, text_end = 0;
};

Result<ProgramPages> look_at(const std::string& path, const order::Model& model, u64 page_size) {
  order::LinkSymbols symbols;
  TRY(symbols.add(path));
  symbols.finish();
  if (symbols.text_begin() >= symbols.text_end())
    return fail("{}: it is not linked: its functions have no addresses", path);
  order::Placement placement(model, symbols);
  ProgramPages program;
  program.path = path;
  program.layout = placement.layout();
  program.text_begin = symbols.text_begin();
  program.text_end = symbols.text_end();
  program.text = program.text_end - program.text_begin;
  program.has_traces = !model.traces.empty();
  program.functions = placement.facts().functions;
  program.missing = placement.facts().missing.size();
  for (u32 f : placement.facts().missing) program.missing_names.emplace_back(model.name(f));
  double weights = 0;
  for (const auto& trace : model.traces) {
    auto weight = static_cast<double>(trace.weight);
    weights += weight;
    for (size_t i = 0; i < std::size(page_sizes); ++i)
      program.pages[i] +=
          weight *
          static_cast<double>(order::page_curve(program.layout, trace, page_sizes[i]).pages);
    program.area += weight * order::page_curve(program.layout, trace, page_size).area;
  }
  if (weights > 0) {
    for (double& pages : program.pages) pages /= weights;
    program.area /= weights;
  }
  program.calls = order::call_distances(program.layout, model);
  return program;
}

std::string change(double from, double to) {
  if (from <= 0) return "";
  return report::format(" ({})", report::percent_change((to - from) / from));
}

std::string as_text(const std::vector<ProgramPages>& programs, const MakeOrder& options) {
  std::string text =
      report::format("{:<24} {:>9} {:>15} {:>16} {:>16} {:>16} {:>20}\n", "program", "text",
                     "functions", "4,096-byte pages", "16,384-byte", "65,536-byte", "curve");
  const auto& first = programs.front();
  for (const auto& program : programs) {
    auto touched = [&](double from, double pages) -> std::string {
      if (!program.has_traces) return "-";
      return report::fixed(pages, 0) + (&program == &first ? "" : change(from, pages));
    };
    std::string columns;
    for (size_t i = 0; i < std::size(page_sizes); ++i)
      columns += report::format(" {:>16}", touched(first.pages[i], program.pages[i]));
    text += report::format("{:<24} {:>9} {:>15}{} {:>20}\n", program.path,
                           report::file_size(program.text),
                           report::format("{}/{}", grouped(program.functions - program.missing),
                                          grouped(program.functions)),
                           columns, touched(first.area, program.area));
  }
  if (!first.has_traces)
    text +=
        "pages are not known: only first runs tell which ones are touched (pgokit flags order)\n";
  if (first.calls.weight > 0) {
    text += report::format("\n{:<24} {:>16} {:>16} {:>16} {:>16}\n", "calls that stay within",
                           "4,096 bytes", "65,536 bytes", "2,097,152 bytes", "mean distance");
    for (const auto& program : programs) {
      const auto& calls = program.calls;
      auto share = [&](double part) { return report::as_percent(part / calls.weight); };
      text +=
          report::format("{:<24} {:>16} {:>16} {:>16} {:>16}\n", program.path,
                         share(calls.within_page), share(calls.within_64k), share(calls.within_2m),
                         report::format("2^{:.1f} bytes", calls.mean_log2));
    }
  }
  for (const auto& program : programs) {
    const auto& missing = program.missing_names;
    size_t lines = options.top ? std::min<size_t>(options.top, missing.size()) : missing.size();
    report::FunctionNames names(options.mangled);
    for (const auto& name : std::span(missing).first(lines)) names.add(name);
    for (const auto& name : std::span(missing).first(lines))
      text += report::format("not in {}: {}\n", program.path, names.of(name));
    if (options.top && program.missing > options.top)
      text += report::format("... and {} more (--top 0 shows all)\n",
                             grouped(program.missing - options.top));
  }
  return text;
}

Json as_json(const std::vector<ProgramPages>& programs) {
  Json list = Json::array();
  for (const auto& program : programs) {
    Json missing = Json::array(), pages = Json::object();
    for (const auto& name : program.missing_names) missing.push(name);
    for (size_t i = 0; i < std::size(page_sizes); ++i)
      pages.set(report::format("{}", page_sizes[i]),
                program.has_traces ? Json(program.pages[i]) : Json());
    Json one = Json::object();
    one.set("program", program.path)
        .set("text", program.text)
        .set("functions", program.functions)
        .set("pages", std::move(pages))
        .set("area", program.has_traces ? Json(program.area) : Json())
        .set("not_there", std::move(missing));
    if (program.calls.weight > 0)
      one.set("calls_within_4k", program.calls.within_page / program.calls.weight)
          .set("calls_within_64k", program.calls.within_64k / program.calls.weight)
          .set("calls_within_2m", program.calls.within_2m / program.calls.weight)
          .set("calls_mean_log2_distance", program.calls.mean_log2);
    list.push(std::move(one));
  }
  return list;
}

}  // namespace

Status evaluate_order(const std::vector<std::string>& programs, const MakeOrder& options) {
  auto inputs = TRY(pipeline::read_order_inputs(options.inputs));
  if (inputs.model.traces.empty() && !inputs.model.has_calls())
    return fail("there is no start-up to evaluate with: samples alone tell no first runs");
  std::vector<ProgramPages> seen;
  for (const auto& path : programs)
    seen.push_back(TRY(look_at(path, inputs.model, options.page_size)));
  for (const auto& note : inputs.notes) report::print(stderr, "warning   {}\n", note);
  if (seen.front().functions == seen.front().missing)
    return fail("{} has none of the functions of {}: is it the same program?", seen.front().path,
                options.inputs.inputs.front().path);
  if (!options.svg.empty() && inputs.model.traces.empty())
    return fail("--svg wants traces: calls alone touch no pages");
  if (!options.svg.empty()) {
    OrderPicture picture(inputs.model.traces.front(), options.page_size);
    for (const auto& program : seen)
      picture.add(program.path, program.layout, program.text_begin, program.text_end);
    TRY(picture.write(options.svg));
  }
  report::print("{}",
                report::lines(options.json ? as_json(seen).text() + "\n" : as_text(seen, options)));
  return {};
}

}  // namespace pgokit::cli
