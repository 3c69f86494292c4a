#include "page/page.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "annotate/source_text.h"
#include "base/version.h"
#include "page/assets.h"
#include "page/json_text.h"
#include "report/function_names.h"
#include "report/markup.h"

namespace pgokit::page {
namespace {

using annotate::FunctionCode;
using annotate::ListedFunction;

// Every name of the page once, by number.
class PageNames {
 public:
  explicit PageNames(bool mangled) : names_(mangled) {}

  u32 number(std::string_view name) {
    auto [found, is_new] = numbers_.try_emplace(std::string(name), static_cast<u32>(list_.size()));
    if (is_new) {
      list_.push_back(&found->first);
      names_.add(found->first);
    }
    return found->second;
  }
  void write(JsonText& json) const {
    json.key("names").begin('[');
    for (const auto* name : list_) json.value(names_.of(*name));
    json.end(']');
  }

 private:
  report::FunctionNames names_;
  std::unordered_map<std::string, u32> numbers_;
  std::vector<const std::string*> list_;
};

template <class List, class Value>
void column(JsonText& json, std::string_view key, const List& list, Value value) {
  json.key(key).begin('[');
  for (const auto& one : list) json.value(value(one));
  json.end(']');
}

class Writer {
 public:
  Writer(const Contents& contents, bool mangled) : contents_(contents), names_(mangled) {}

  std::string text() {
    json_.begin('{').key("title").value(std::string_view(contents_.title));
    json_.key("by").value(fmt::format("pgokit {}", version));
    add_verdicts();
    add_facts();
    if (contents_.functions) add_functions(*contents_.functions);
    add_code();
    if (contents_.tree && !contents_.tree->empty()) add_tree(*contents_.tree);
    add_heat();
    if (!contents_.explanation.empty())
      json_.key("explanation").value(std::string_view(contents_.explanation));
    if (!contents_.measurement.empty())
      json_.key("measurement").value(std::string_view(contents_.measurement));
    names_.write(json_);
    return json_.end('}').text();
  }

 private:
  void add_verdicts() {
    json_.key("verdicts").begin('[');
    for (const auto& verdict : contents_.verdicts)
      json_.begin('[')
          .value(std::string_view(verdict.word))
          .value(std::string_view(verdict.text))
          .end(']');
    json_.end(']');
  }

  void add_facts() {
    json_.key("facts").begin('[');
    for (const auto& facts : contents_.facts) {
      json_.begin('[').value(std::string_view(facts.heading)).begin('[');
      for (const auto& row : facts.rows)
        json_.begin('[')
            .value(std::string_view(row.name))
            .value(std::string_view(row.value))
            .end(']');
      json_.end(']').end(']');
    }
    json_.end(']');
  }

  void add_functions(const annotate::FunctionList& list) {
    json_.key("functions").begin('{');
    json_.key("profile").value(list.of_profile);
    json_.key("sampled").value(list.has_samples);
    json_.key("samples").value(list.samples).key("instructions").value(list.instructions);
    const auto& all = list.functions;
    column(json_, "n", all, [&](const auto& one) { return names_.number(one.name); });
    if (list.has_samples) column(json_, "s", all, [](const auto& one) { return one.samples; });
    column(json_, "e", all, [](const auto& one) { return one.entries; });
    column(json_, "h", all, [](const auto& one) { return one.hottest; });
    if (!list.of_profile) {
      column(json_, "i", all, [](const auto& one) { return one.instructions; });
      column(json_, "b", all, [](const auto& one) { return one.bytes; });
      column(json_, "r", all, [](const auto& one) { return one.ran_bytes; });
    }
    if (contents_.before) add_before(*contents_.before, list);
    json_.end('}');
  }

  void add_before(const annotate::FunctionList& before, const annotate::FunctionList& list) {
    std::unordered_map<std::string_view, u64> weights;
    for (const auto& one : before.functions) weights.emplace(one.name, before.weight(one));
    json_.key("before").value(before.all());
    column(json_, "w0", list.functions, [&](const auto& one) {
      auto found = weights.find(one.name);
      return found == weights.end() ? u64{0} : found->second;
    });
  }

  void add_code() {
    json_.key("code").begin('[');
    for (const auto& code : contents_.code) add_code(code);
    json_.end(']');
  }

  // [number of the name, offset, count]; -1: out of the program.
  void add_end(u64 address, std::optional<u32> function, u64 count) {
    const auto& table = contents_.program->functions();
    const auto* range = function ? table.find(address) : nullptr;
    json_.begin('[')
        .value(function ? i64{names_.number(table.name(*function))} : i64{-1})
        .value(range ? address - range->start : u64{0})
        .value(count)
        .end(']');
  }

  void add_code(const FunctionCode& code) {
    json_.begin('{').key("n").value(
        names_.number(contents_.program->functions().name(code.function)));
    column(json_, "f", code.files, [](const auto& file) { return std::string_view(file); });
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
    json_.end(']').key("at").value(
        fmt::format("{:x}", code.instructions.empty() ? 0 : code.instructions[0].address));
    const auto& all = code.instructions;
    u64 next = all.empty() ? 0 : all[0].address;
    // How far behind the one before.
    column(json_, "d", all, [&](const auto& one) {
      u64 gap = one.address - next;
      next = one.address;
      return gap;
    });
    column(json_, "c", all, [](const auto& one) { return one.count; });
    column(json_, "l", all, [](const auto& one) { return one.place; });
    column(json_, "t", all, [](const auto& one) { return std::string_view(one.text); });
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
    add_source(code);
    json_.end('}');
  }

  void add_source(const FunctionCode& code) {
    auto own = annotate::own_lines(code);
    if (own.file == annotate::nowhere) return;
    constexpr u32 most_lines = 2000, above = 1;
    const auto& path = code.files[own.file];
    const auto& source = source_of(path);
    u32 first = own.lines.front().line, last = own.lines.back().line;
    first -= std::min(first - 1, above);
    last = std::min(last, first + most_lines);
    json_.key("src").begin('{').key("file").value(std::string_view(path)).key("first").value(first);
    if (!source.is_there()) json_.key("missing").value(std::string_view(source.missing()));
    json_.key("text").begin('[');
    for (u32 line = first; source.is_there() && line <= last; ++line)
      json_.value(source.line(line));
    json_.end(']');
    column(json_, "l", own.lines, [](const auto& line) { return line.line; });
    column(json_, "c", own.lines, [](const auto& line) { return line.count; });
    json_.end('}');
  }

  const annotate::SourceText& source_of(const std::string& path) {
    auto found = sources_.find(path);
    if (found == sources_.end()) found = sources_.emplace(path, annotate::read_source(path)).first;
    return found->second;
  }

  void add_tree(const CallTree& tree) {
    auto nodes = tree.shown();
    json_.key("tree").begin('{');
    column(json_, "p", nodes, [](const auto& node) { return node.parent; });
    column(json_, "n", nodes, [&](const auto& node) {
      return &node == &nodes[0] ? u32{0} : names_.number(tree.names()[node.name]);
    });
    column(json_, "k", nodes, [](const auto& node) { return static_cast<u32>(node.kind); });
    column(json_, "v", nodes, [](const auto& node) { return node.total[0]; });
    if (nodes[0].total[1])
      column(json_, "w", nodes, [](const auto& node) { return node.total[1]; });
    json_.end('}');
  }

  void add_heat() {
    json_.key("heat").begin('[');
    for (const auto& [title, heat] : contents_.heat) {
      json_.begin('{').key("title").value(std::string_view(title));
      json_.key("pages").value(heat.pages).key("lines").value(heat.lines);
      column(json_, "p", heat.touched, [](const auto& page) { return page.number; });
      column(json_, "c", heat.touched, [](const auto& page) { return page.instructions; });
      column(json_, "l", heat.touched, [](const auto& page) { return page.lines; });
      json_.end('}');
    }
    json_.end(']');
  }

  const Contents& contents_;
  PageNames names_;
  JsonText json_;
  std::map<std::string, annotate::SourceText> sources_;
};

}  // namespace

std::string html_of(const Contents& contents, bool mangled) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"color-scheme\" "
      "content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n";
  html.append("<title>").append(report::as_markup(contents.title)).append("</title>\n<style>\n");
  html.append(page_css).append(
      "</style>\n<body>\n<noscript>This page needs JavaScript.</noscript>");
  html.append("\n<script type=\"application/json\" id=\"data\">");
  html.append(Writer(contents, mangled).text()).append("</script>\n<script>\n");
  html.append(page_js).append("</script>\n</body>\n</html>\n");
  return html;
}

}  // namespace pgokit::page
