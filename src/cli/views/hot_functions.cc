#include "cli/views/hot_functions.h"

#include <algorithm>

#include "annotate/source_text.h"
#include "base/named_function.h"
#include "report/function_names.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using annotate::Branch;
using annotate::FunctionCode;
using annotate::FunctionList;
using annotate::ListedFunction;
using report::grouped;
using report::Json;
using report::percent;

constexpr size_t count_width = 15;

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

// Names of the functions that branches of one function lead to and come from.
class Ends {
 public:
  Ends(const program::Program& program, const FunctionCode& code, bool mangled)
      : program_(program), code_(code), names_(mangled) {
    add(code.function);
    for (const auto& branch : code.branches)
      for (const auto& target : branch.targets) add(target.function);
    for (const auto& caller : code.callers) add(caller.function);
  }

  std::string own() const { return names_.of(program_.functions().name(code_.function)); }
  std::string of(u64 address, std::optional<u32> function) const {
    if (address == samples::external.value) return "outside of the program";
    if (!function) return report::format("{:#x}", address);
    auto name = names_.of(program_.functions().name(*function));
    const auto* range = program_.functions().find(address);
    u64 offset = range ? address - range->start : 0;
    return offset ? report::format("{}+{:#x}", name, offset) : name;
  }

 private:
  void add(std::optional<u32> function) {
    if (function) names_.add(program_.functions().name(*function));
  }

  const program::Program& program_;
  const FunctionCode& code_;
  report::FunctionNames names_;
};

// Indented as in the file, with blanks.
std::string source_row(const std::string& count, u32 line, const annotate::SourceText& source) {
  std::string words;
  for (char c : source.line(line)) c == '\t' ? words.append(4, ' ') : words.append(1, c);
  return report::format("{:>{}} {:>7}  {}\n", count, count_width, line, words);
}

void add_source(std::string& text, const FunctionCode& code) {
  auto own = annotate::own_lines(code);
  if (own.file == annotate::nowhere) {
    text += "source     not known: compile with -g\n";
    return;
  }
  const auto& path = code.files[own.file];
  auto source = annotate::read_source(path);
  text += report::format("source     {}\n", path);
  if (!source.is_there()) text += report::format("           not shown: {}\n", source.missing());
  text += report::format("\n{:>{}} {:>7}\n", "count", count_width, "line");
  u32 previous = 0;
  for (const auto& line : own.lines) {
    // What stands between two lines with code belongs to them, unless it is much.
    constexpr u32 most_between = 8;
    if (previous && line.line - previous - 1 > most_between)
      text += report::format("{:>{}} {:>7}\n", "", count_width, "...");
    else
      for (u32 between = previous + 1; previous && between < line.line && source.is_there();
           ++between)
        text += source_row("", between, source);
    text += source_row(grouped(line.count), line.line, source);
    previous = line.line;
  }
}

std::string place_text(const FunctionCode& code, const annotate::Place& place) {
  std::string text;
  for (size_t i = place.frames.size(); i-- > 0;) {
    const auto& frame = place.frames[i];
    std::string_view file =
        frame.file == annotate::nowhere ? std::string_view("?") : code.files[frame.file];
    file.remove_prefix(std::min(file.rfind('/') + 1, file.size()));
    text += report::format("{}{}:{}", text.empty() ? "" : " @ ", file, frame.line);
    if (i > 0)
      text += report::format(" {}", without_parameters(report::function_name(frame.function)));
  }
  return text;
}

void add_targets(std::string& text, const Branch& branch, const Ends& ends) {
  constexpr size_t most = 5;
  bool known = branch.targets.size() == 1 && branch.kind != Branch::Kind::call;
  if (known || branch.targets.empty()) return;
  for (size_t i = 0; i < std::min(most, branch.targets.size()); ++i) {
    const auto& target = branch.targets[i];
    text += report::format("{:>{}} {:>8}              to {}\n", grouped(target.count), count_width,
                           percent(target.count, branch.taken),
                           ends.of(target.address, target.function));
  }
  if (branch.targets.size() > most)
    text += report::format("{:>{}} {:>8}              and {} more\n", "", count_width, "",
                           branch.targets.size() - most);
}

void add_code(std::string& text, const FunctionCode& code, const Ends& ends) {
  text += report::format("\n{:>{}} {:>8} {:>12}  instruction\n", "count", count_width, "taken",
                         "address");
  u32 place = annotate::nowhere;
  size_t next = 0;
  for (u32 i = 0; i < code.instructions.size(); ++i) {
    const auto& one = code.instructions[i];
    if (one.place != place && !code.places[one.place].frames.empty())
      text += report::format("{:>{}} {:>8} {:>12}  ; {}\n", "", count_width, "", "",
                             place_text(code, code.places[one.place]));
    place = one.place;
    const Branch* branch = nullptr;
    if (next < code.branches.size() && code.branches[next].instruction == i)
      branch = &code.branches[next++];
    auto taken = branch && branch->kind == Branch::Kind::conditional
                     ? branch->probability(one.count)
                     : std::nullopt;
    std::string words = one.text;
    std::ranges::replace(words, '\t', ' ');
    text +=
        report::format("{:>{}} {:>8} {:>12x}  {}\n", one.count ? grouped(one.count) : "",
                       count_width, taken ? report::as_percent(*taken) : "", one.address, words);
    if (branch) add_targets(text, *branch, ends);
  }
  if (code.left_out)
    text += report::format("... and {} bytes of code more\n", grouped(code.left_out));
}

void add_callers(std::string& text, const FunctionCode& code, const Ends& ends) {
  constexpr size_t most = 20;
  if (code.callers.empty()) return;
  text += report::format("\n{:>{}}  entered from\n", "count", count_width);
  for (size_t i = 0; i < std::min(most, code.callers.size()); ++i)
    text += report::format("{:>{}}  {}\n", grouped(code.callers[i].count), count_width,
                           ends.of(code.callers[i].address, code.callers[i].function));
  if (code.callers.size() > most)
    text += report::format("{:>{}}  and {} more\n", "", count_width, code.callers.size() - most);
}

}  // namespace

std::string hot_functions_text(const FunctionList& list, const HotFunctionsView& view) {
  auto shown = std::span(list.functions);
  if (view.top && view.top < shown.size()) shown = shown.first(static_cast<size_t>(view.top));
  report::FunctionNames names(view.mangled);
  for (const auto& one : shown) names.add(one.name);
  std::string text = heading(list);
  for (const auto& one : shown)
    text += report::format("{}  {}\n", row_of(list, one), names.of(one.name));
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

std::string annotated_text(const program::Program& program, const FunctionList& list,
                           const ListedFunction& listed, const FunctionCode& code, bool mangled) {
  Ends ends(program, code, mangled);
  std::string text = report::format("function   {}\n", ends.own());
  text += report::format("share      {} of the {}, {}\n", percent(list.weight(listed), list.all()),
                         list.has_samples ? "samples" : "instructions run",
                         report::counted(listed.entries, "entry", "entries"));
  add_source(text, code);
  add_code(text, code, ends);
  add_callers(text, code, ends);
  return text;
}

Json annotated_json(const program::Program& program, const ListedFunction& listed,
                    const FunctionCode& code) {
  Json json = Json::object(), instructions = Json::array(), lines = Json::array(),
       branches = Json::array(), callers = Json::array();
  auto name = [&](std::optional<u32> function) {
    return function ? Json(program.functions().name(*function)) : Json();
  };
  auto own = annotate::own_lines(code);
  for (const auto& line : own.lines)
    lines.push(std::move(Json::object().set("line", line.line).set("count", line.count)));
  for (const auto& one : code.instructions)
    instructions.push(std::move(
        Json::object().set("address", one.address).set("count", one.count).set("text", one.text)));
  for (const auto& branch : code.branches) {
    Json targets = Json::array();
    for (const auto& target : branch.targets)
      targets.push(std::move(Json::object()
                                 .set("address", target.address)
                                 .set("function", name(target.function))
                                 .set("count", target.count)));
    branches.push(std::move(Json::object()
                                .set("address", code.instructions[branch.instruction].address)
                                .set("conditional", branch.kind == Branch::Kind::conditional)
                                .set("taken", branch.taken)
                                .set("targets", std::move(targets))));
  }
  for (const auto& caller : code.callers)
    callers.push(std::move(Json::object()
                               .set("address", caller.address)
                               .set("function", name(caller.function))
                               .set("count", caller.count)));
  json.set("function", listed.name)
      .set("file", own.file == annotate::nowhere ? Json() : Json(code.files[own.file]))
      .set("lines", std::move(lines))
      .set("instructions", std::move(instructions))
      .set("branches", std::move(branches))
      .set("callers", std::move(callers));
  return json;
}

}  // namespace pgokit::cli
