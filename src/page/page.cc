#include "page/page.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "base/version.h"
#include "page/assets.h"
#include "page/code_json.h"
#include "page/json_text.h"
#include "page/page_names.h"
#include "report/markup.h"

namespace pgokit::page {
namespace {

using annotate::ListedFunction;

// Shares of a page's bytes that its parts end at, in the order in which they are written.
constexpr double tree_share = 0.4, functions_share = 0.7;
constexpr size_t most_line_pages = 1024;  // whose cache lines are shown

size_t part_of(size_t bytes, double share) {
  return static_cast<size_t>(static_cast<double>(bytes) * share);
}

class Writer {
 public:
  // `room`: how many bytes the page may have.
  Writer(const Contents& contents, bool mangled, size_t room)
      : contents_(contents), room_(room), names_(mangled) {}

  std::string text() {
    json_.begin('{').key("title").value(std::string_view(contents_.title));
    json_.key("by").value(fmt::format("pgokit {}", version));
    add_verdicts();
    add_facts();
    add_heat();
    if (!contents_.explanation.empty())
      json_.key("explanation").value(std::string_view(contents_.explanation));
    if (!contents_.measurement.empty())
      json_.key("measurement").value(std::string_view(contents_.measurement));
    if (contents_.tree && !contents_.tree->empty()) add_tree(*contents_.tree);
    if (contents_.functions) add_functions(*contents_.functions);
    add_code();
    names_.write(json_);
    return json_.end('}').text();
  }

 private:
  size_t bytes() const {
    return page_css.size() + page_js.size() + json_.text().size() + names_.bytes();
  }

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
    auto all = shown_of(list);
    json_.key("functions").begin('{');
    json_.key("profile").value(list.of_profile);
    json_.key("sampled").value(list.has_samples);
    json_.key("samples").value(list.samples).key("instructions").value(list.instructions);
    json_.column("n", all, [&](const auto& one) { return names_.number(one.name); });
    if (list.has_samples) json_.column("s", all, [](const auto& one) { return one.samples; });
    json_.column("e", all, [](const auto& one) { return one.entries; });
    json_.column("h", all, [](const auto& one) { return one.hottest; });
    if (!list.of_profile) {
      json_.column("i", all, [](const auto& one) { return one.instructions; });
      json_.column("b", all, [](const auto& one) { return one.bytes; });
      json_.column("r", all, [](const auto& one) { return one.ran_bytes; });
    }
    if (contents_.before) add_before(*contents_.before, all);
    u64 weight = 0;
    for (const auto& one : std::span(list.functions).subspan(all.size()))
      weight += list.weight(one);
    json_.key("more").value(list.functions.size() - all.size()).key("more_weight").value(weight);
    json_.end('}');
  }

  // The hottest, as many as there is room for.
  std::span<const ListedFunction> shown_of(const annotate::FunctionList& list) const {
    size_t most = part_of(room_, functions_share), taken = bytes(), count = 0;
    for (const auto& one : list.functions) {
      taken += names_.more_bytes(one.name) + columns_bytes(one);
      if (taken > most) break;
      ++count;
    }
    return std::span(list.functions).first(count);
  }

  // About what a row takes, the number of its name included.
  static size_t columns_bytes(const ListedFunction& one) {
    size_t digits = 7;
    for (u64 number : {one.samples, one.entries, one.hottest, one.instructions, one.bytes,
                       one.ran_bytes, one.samples})
      digits += std::to_string(number).size() + 1;
    return digits;
  }

  void add_before(const annotate::FunctionList& before, std::span<const ListedFunction> all) {
    std::unordered_map<std::string_view, u64> weights;
    for (const auto& one : before.functions) weights.emplace(one.name, before.weight(one));
    json_.key("before").value(before.all());
    json_.column("w0", all, [&](const auto& one) {
      auto found = weights.find(one.name);
      return found == weights.end() ? u64{0} : found->second;
    });
  }

  // What does not fit is left out; smaller functions after it may fit.
  void add_code() {
    json_.key("code").begin('[');
    CodeJson code_json(contents_.program, contents_.remarks, names_);
    auto add = [&](const auto& code) {
      size_t names = names_.count();
      auto text = code_json.of(code);
      if (bytes() + text.size() > room_)
        names_.drop_from(names);
      else
        json_.json(text);
    };
    for (const auto& code : contents_.code) add(code);
    for (const auto& source : contents_.sources) add(source);
    json_.end(']');
  }

  // As many nodes as there is room for, the widest.
  std::vector<CallTree::Node> shown_of(const CallTree& tree) const {
    constexpr size_t most_nodes = 20'000, fewest_nodes = 300, node_bytes = 24;
    size_t most = part_of(room_, tree_share), taken = bytes();
    for (size_t count = most_nodes;; count /= 2) {
      auto nodes = tree.shown(count);
      std::unordered_set<u32> seen;
      size_t more = nodes.size() * node_bytes;
      for (const auto& node : std::span(nodes).subspan(1))
        if (seen.insert(node.name).second) more += names_.more_bytes(tree.names()[node.name]);
      if (taken + more <= most || count <= fewest_nodes) return nodes;
    }
  }

  void add_tree(const CallTree& tree) {
    auto nodes = shown_of(tree);
    json_.key("tree").begin('{');
    json_.column("p", nodes, [](const auto& node) { return node.parent; });
    json_.column("n", nodes, [&](const auto& node) {
      return &node == &nodes[0] ? u32{0} : names_.number(tree.names()[node.name]);
    });
    json_.column("k", nodes, [](const auto& node) { return static_cast<u32>(node.kind); });
    json_.column("v", nodes, [](const auto& node) { return node.total[0]; });
    if (nodes[0].total[1]) json_.column("w", nodes, [](const auto& node) { return node.total[1]; });
    json_.end('}');
  }

  void add_heat() {
    json_.key("heat").begin('[');
    for (const auto& [title, heat] : contents_.heat) {
      json_.begin('{').key("title").value(std::string_view(title));
      json_.key("pages").value(heat.pages).key("lines").value(heat.touched_lines.size());
      json_.column("p", heat.touched, [](const auto& page) { return page.number; });
      json_.column("c", heat.touched, [](const auto& page) { return page.instructions; });
      json_.column("l", heat.touched, [](const auto& page) { return page.lines; });
      add_lines(heat);
      json_.end('}');
    }
    json_.end(']');
  }

  // A string for each page, a digit for each cache line: 0 did not run, f ran most, by logarithms.
  // Of large programs those of the hottest pages, "lp": places in "p".
  void add_lines(const annotate::CodeHeat& heat) {
    std::vector<u32> pages(heat.touched.size());
    std::iota(pages.begin(), pages.end(), 0);
    if (pages.size() > most_line_pages) {
      std::ranges::stable_sort(pages, std::greater{},
                               [&](u32 page) { return heat.touched[page].instructions; });
      pages.resize(most_line_pages);
      std::ranges::sort(pages);
    }
    u64 most = 1;
    for (const auto& line : heat.touched_lines) most = std::max(most, line.instructions);
    json_.column("lp", pages, [](u32 page) { return page; });
    auto at = heat.touched_lines.begin();
    json_.column("lh", pages, [&](u32 page) {
      std::string digits;
      u64 number = heat.touched[page].number;
      while (at != heat.touched_lines.end() && at->page < number) ++at;
      for (; at != heat.touched_lines.end() && at->page == number; ++at) {
        digits.resize(at->place, '0');
        digits += "0123456789abcdef"[level_of(at->instructions, most)];
      }
      return std::string_view(digits_ = std::move(digits));
    });
  }

  static size_t level_of(u64 count, u64 most) {
    constexpr double levels = 14;
    double share = std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most));
    return 1 + static_cast<size_t>(levels * std::min(share, 1.0));
  }

  const Contents& contents_;
  size_t room_;
  PageNames names_;
  JsonText json_;
  std::string digits_;  // of the page that is being written
};

std::string html_of(const Contents& contents, bool mangled, size_t room) {
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
  html.append(Writer(contents, mangled, room).text()).append("</script>\n<script>\n");
  html.append(page_js).append("</script>\n</body>\n</html>\n");
  return html;
}

}  // namespace

std::string html_of(const Contents& contents, bool mangled) {
  // Names that would look alike are longer than the writer takes them for.
  constexpr int most_tries = 4;
  size_t room = contents.most_bytes;
  for (int tries = 1;; ++tries) {
    auto html = html_of(contents, mangled, room);
    if (html.size() <= contents.most_bytes || tries == most_tries) return html;
    room -= std::min(room, html.size() - contents.most_bytes + contents.most_bytes / 200);
  }
}

}  // namespace pgokit::page
