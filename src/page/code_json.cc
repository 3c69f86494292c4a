#include "page/code_json.h"

#include <algorithm>
#include <span>

#include "annotate/inlined_lines.h"
#include "base/saturated.h"

namespace pgokit::page {

std::string CodeJson::of(const FunctionCode& code) {
  json_ = {};
  json_.begin('{').key("n").value(names_.number(program_->functions().name(code.function)));
  json_.column("f", code.files, [](const auto& file) { return std::string_view(file); });
  add_places(code);
  add_instructions(code);
  add_probes(code);
  add_branches(code);
  add_source(code);
  add_inlined(code);
  add_remarks(code);
  return json_.end('}').text();
}

std::string CodeJson::of(const annotate::ProfiledSource& source) {
  json_ = {};
  json_.begin('{').key("n").value(names_.number(source.function));
  json_.key("f").begin('[').value(std::string_view(source.definition->file)).end(']');
  // No code.
  for (const char* list : {"p", "d", "c", "l", "t", "br", "from"})
    json_.key(list).begin('[').end(']');
  json_.key("at").value("0");
  if (!source.lines.empty()) {
    json_.key("src");
    begin_lines(0, source.definition->file, source.lines);
    json_.end('}');
  }
  return json_.end('}').text();
}

void CodeJson::add_places(const FunctionCode& code) {
  json_.key("p").begin('[');
  for (const auto& place : code.places) {
    json_.begin('[');
    for (const auto& frame : place.frames)
      json_.begin('[')
          .value(frame.file == annotate::nowhere ? i64{-1} : i64{frame.file})
          .value(frame.line)
          .value(names_.number(frame.function))
          .end(']');
    json_.end(']');
  }
  json_.end(']');
}

void CodeJson::add_instructions(const FunctionCode& code) {
  const auto& all = code.instructions;
  u64 next = all.empty() ? 0 : all[0].address;
  json_.key("at").value(fmt::format("{:x}", next));
  // How far after the one before.
  json_.column("d", all, [&](const auto& one) {
    u64 gap = one.address - next;
    next = one.address;
    return gap;
  });
  json_.column("c", all, [](const auto& one) { return one.count; });
  json_.column("l", all, [](const auto& one) { return one.place; });
  json_.column("t", all, [](const auto& one) { return std::string_view(one.text); });
}

// [instruction, kind, discriminator, [number of the name, probe]...], outermost first; -1: the
// function is not known.
void CodeJson::add_probes(const FunctionCode& code) {
  if (code.probes.empty()) return;
  json_.key("pr").begin('[');
  for (const auto& probe : code.probes) {
    json_.begin('[')
        .value(probe.instruction)
        .value(static_cast<u32>(probe.type))
        .value(probe.discriminator);
    for (const auto& frame : probe.frames)
      json_.begin('[')
          .value(frame.function.empty() ? i64{-1} : i64{names_.number(frame.function)})
          .value(frame.id)
          .end(']');
    json_.end(']');
  }
  json_.end(']');
}

// [number of the name, offset, count]; -1: out of the program.
void CodeJson::add_end(u64 address, std::optional<u32> function, u64 count) {
  const auto& table = program_->functions();
  const auto* range = function ? table.find(address) : nullptr;
  json_.begin('[')
      .value(function ? i64{names_.number(table.name(*function))} : i64{-1})
      .value(range ? address - range->start : u64{0})
      .value(count)
      .end(']');
}

void CodeJson::add_branches(const FunctionCode& code) {
  json_.key("br").begin('[');
  for (const auto& branch : code.branches) {
    json_.begin('[')
        .value(branch.instruction)
        .value(static_cast<u32>(branch.kind))
        .value(branch.taken);
    for (const auto& target : branch.targets)
      add_end(target.address, target.function, target.count);
    json_.end(']');
  }
  json_.end(']').key("from").begin('[');
  for (const auto& caller : code.callers) add_end(caller.address, caller.function, caller.count);
  json_.end(']');
}

void CodeJson::add_source(const FunctionCode& code) {
  auto own = annotate::own_lines(code);
  if (own.file == annotate::nowhere || own.lines.empty()) return;
  json_.key("src");
  begin_lines(own.file, code.files[own.file], own.lines);
  json_.end('}');
}

// What matters of what was inlined: a source for each stretch of lines, with the function's name and
// the instructions that it executed.
void CodeJson::add_inlined(const FunctionCode& code) {
  constexpr size_t most_functions = 12;
  constexpr u32 most_between = 8;
  auto list = annotate::inlined_lines(code);
  u64 all = 0;
  for (const auto& one : code.instructions) all = add_saturated(all, one.count);
  std::erase_if(list, [&](const auto& one) { return one.instructions < all / 100 + 1; });
  if (list.empty()) return;
  list.resize(std::min(list.size(), most_functions));
  json_.key("in").begin('[');
  for (const auto& one : list)
    for (size_t at = 0, end; at < one.lines.size(); at = end) {
      for (end = at + 1; end < one.lines.size(); ++end)
        if (one.lines[end].line - one.lines[end - 1].line > most_between) break;
      begin_lines(one.file, code.files[one.file], std::span(one.lines).subspan(at, end - at));
      json_.key("n").value(names_.number(one.function)).key("i").value(one.instructions).end('}');
    }
  json_.end(']');
}

template <class Lines>
void CodeJson::begin_lines(u32 file, const std::string& path, const Lines& lines) {
  constexpr u32 most_lines = 2000, above = 1;
  const auto& source = source_of(path);
  u32 first = lines.front().line, last = lines.back().line;
  first -= std::min(first - 1, above);
  last = std::min(last, first + most_lines);
  json_.begin('{').key("file").value(std::string_view(path)).key("first").value(first);
  json_.key("of").value(file);
  if (!source.is_there()) json_.key("missing").value(std::string_view(source.missing()));
  json_.key("text").begin('[');
  for (u32 line = first; source.is_there() && line <= last; ++line) json_.value(source.line(line));
  json_.end(']');
  json_.column("l", lines, [](const auto& line) { return line.line; });
  json_.column("c", lines, [](const auto& line) { return line.count; });
}

// [file, line, kind, pass, text, times]; file: of "f", or its name where it is none of these.
void CodeJson::add_remarks(const FunctionCode& code) {
  if (!remarks_) return;
  json_.key("rm").begin('[');
  for (const auto& remark : remarks_->of(program_->functions().name(code.function))) {
    auto file = std::ranges::find_if(
        code.files, [&](const auto& path) { return annotate::is_file(remark.file, path); });
    json_.begin('[');
    if (file != code.files.end())
      json_.value(static_cast<u64>(file - code.files.begin()));
    else
      json_.value(std::string_view(remark.file));
    json_.value(remark.line)
        .value(annotate::word_of(remark.kind))
        .value(std::string_view(remark.pass));
    json_.value(std::string_view(remark.text)).value(remark.times).end(']');
  }
  json_.end(']');
}

const annotate::SourceText& CodeJson::source_of(const std::string& path) {
  auto found = sources_.find(path);
  if (found == sources_.end()) found = sources_.emplace(path, annotate::read_source(path)).first;
  return found->second;
}

}  // namespace pgokit::page
