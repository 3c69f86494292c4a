#include "cli/views/annotated.h"

#include <algorithm>

#include "annotate/inlined_lines.h"
#include "base/named_function.h"
#include "base/saturated.h"
#include "cli/views/source_listing.h"
#include "cli/views/source_rows.h"
#include "report/function_names.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using annotate::Branch;
using annotate::FunctionCode;
using annotate::FunctionRemark;
using report::grouped;
using report::Json;
using report::percent;

constexpr size_t count_width = SourceRows::count_width;

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

void add_source(std::string& text, const FunctionCode& code, RemarkRows& remarks) {
  auto own = annotate::own_lines(code);
  if (own.file == annotate::nowhere)
    text += "source     not known: compile with -g\n";
  else
    add_source_lines(code.files[own.file], own.lines, remarks, text);
}

// Of what was inlined in the function, what matters.
void add_inlined(std::string& text, const AnnotatedView& view, RemarkRows& remarks) {
  u64 all = 0;
  for (const auto& one : view.code->instructions) all = add_saturated(all, one.count);
  report::FunctionNames names(view.mangled);
  auto list = annotate::inlined_lines(*view.code);
  for (const auto& one : list) names.add(one.function);
  for (const auto& one : list) {
    if (one.instructions < all / 100 + 1) continue;
    text += report::format("\ninlined    {}, {} of the instructions that this function executed\n",
                           names.of(one.function), percent(one.instructions, all));
    add_source_lines(view.code->files[one.file], one.lines, remarks, text);
  }
}

std::string short_name(std::string_view function) {
  auto name = report::function_name(function);
  return std::string(without_parameters(name));
}

std::string place_text(const FunctionCode& code, const annotate::Place& place) {
  std::string text;
  for (size_t i = place.frames.size(); i-- > 0;) {
    const auto& frame = place.frames[i];
    std::string_view file =
        frame.file == annotate::nowhere ? std::string_view("?") : code.files[frame.file];
    file.remove_prefix(std::min(file.rfind('/') + 1, file.size()));
    text += report::format("{}{}:{}", text.empty() ? "" : " @ ", file, frame.line);
    if (i > 0) text += report::format(" {}", short_name(frame.function));
  }
  return text;
}

std::string_view kind_of(const annotate::CodeProbe& probe) {
  if (probe.type == probe::Type::block) return "block";
  return probe.type == probe::Type::indirect_call ? "indirect call" : "call";
}

// "probe 2 (block) of leaf @ 5 main": the innermost first, as places are.
std::string probe_text(const annotate::CodeProbe& probe) {
  std::string text;
  for (size_t i = probe.frames.size(); i-- > 0;) {
    const auto& frame = probe.frames[i];
    text += text.empty() ? fmt::format("probe {}", frame.id) : fmt::format(" @ {}", frame.id);
    if (i + 1 == probe.frames.size()) {
      if (probe.discriminator) text += fmt::format(".{}", probe.discriminator);
      text += fmt::format(" ({})", kind_of(probe));
    }
    if (i > 0)
      text +=
          report::format("{}{}", i + 1 == probe.frames.size() ? " of " : " ",
                         frame.function.empty() ? std::string("?") : short_name(frame.function));
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
  size_t next = 0, next_probe = 0;
  for (u32 i = 0; i < code.instructions.size(); ++i) {
    const auto& one = code.instructions[i];
    if (one.place != place && !code.places[one.place].frames.empty())
      text += report::format("{:>{}} {:>8} {:>12}  ; {}\n", "", count_width, "", "",
                             place_text(code, code.places[one.place]));
    place = one.place;
    for (; next_probe < code.probes.size() && code.probes[next_probe].instruction == i;
         ++next_probe)
      text += report::format("{:>{}} {:>8} {:>12}  ; {}\n", "", count_width, "", "",
                             probe_text(code.probes[next_probe]));
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

Json probes_json(const FunctionCode& code) {
  Json probes = Json::array();
  for (const auto& probe : code.probes) {
    Json frames = Json::array(), one = Json::object();
    for (const auto& frame : probe.frames)
      frames.push(std::move(Json::object().set("function", frame.function).set("probe", frame.id)));
    one.set("address", code.instructions[probe.instruction].address)
        .set("kind", kind_of(probe))
        .set("discriminator", probe.discriminator)
        .set("frames", std::move(frames));
    probes.push(std::move(one));
  }
  return probes;
}

Json remarks_json(const std::vector<FunctionRemark>& list) {
  Json remarks = Json::array();
  for (const auto& remark : list)
    remarks.push(std::move(Json::object()
                               .set("file", remark.file.empty() ? Json() : Json(remark.file))
                               .set("line", remark.line)
                               .set("column", remark.column)
                               .set("kind", annotate::word_of(remark.kind))
                               .set("pass", remark.pass)
                               .set("text", remark.text)
                               .set("times", remark.times)));
  return remarks;
}

Json inlined_json(const FunctionCode& code) {
  Json inlined = Json::array();
  for (const auto& one : annotate::inlined_lines(code))
    inlined.push(std::move(Json::object()
                               .set("function", one.function)
                               .set("file", code.files[one.file])
                               .set("instructions", one.instructions)
                               .set("lines", lines_json(one.lines))));
  return inlined;
}

}  // namespace

std::string annotated_text(const AnnotatedView& view) {
  const auto& listed = *view.listed;
  const auto& list = *view.list;
  const auto& code = *view.code;
  Ends ends(*view.program, code, view.mangled);
  RemarkRows remarks(view.remarks, {listed.name});
  std::string text = report::format("function   {}\n", ends.own());
  text += report::format("share      {} of the {}, {}\n", percent(list.weight(listed), list.all()),
                         list.has_samples ? "samples" : "instructions run",
                         report::counted(listed.entries, "entry", "entries"));
  add_source(text, code, remarks);
  add_inlined(text, view, remarks);
  add_code(text, code, ends);
  add_callers(text, code, ends);
  remarks.append_rest(text);
  return text;
}

Json annotated_json(const AnnotatedView& view) {
  const auto& code = *view.code;
  const auto& functions = view.program->functions();
  Json json = Json::object(), instructions = Json::array(), branches = Json::array(),
       callers = Json::array();
  auto name = [&](std::optional<u32> function) {
    return function ? Json(functions.name(*function)) : Json();
  };
  auto own = annotate::own_lines(code);
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
  json.set("function", view.listed->name)
      .set("file", own.file == annotate::nowhere ? Json() : Json(code.files[own.file]))
      .set("lines", lines_json(own.lines))
      .set("inlined", inlined_json(code))
      .set("instructions", std::move(instructions))
      .set("probes", probes_json(code))
      .set("branches", std::move(branches))
      .set("callers", std::move(callers));
  if (view.remarks) json.set("remarks", remarks_json(view.remarks->of(view.listed->name)));
  return json;
}

}  // namespace pgokit::cli
