#include "cli/views/llvm_dump.h"

#include <algorithm>

#include "analysis/llvm_order.h"
#include "base/function_name.h"
#include "base/parallel.h"
#include "base/share.h"
#include "report/json.h"
#include "report/text_buffer.h"

namespace pgokit::cli {
namespace {

using profile::Columns;
using report::TakeText;
using report::TextBuffer;

// The targets of each place of a node, walked together with its places.
class TargetWalk {
 public:
  TargetWalk(const Columns::Part& part, u32 node) : left_(part.targets_of(node)) {}

  // By count downwards, then by name. Places are asked for in their order.
  const std::vector<Columns::Target>& of(u32 place) {
    targets_.clear();
    while (!left_.empty() && left_.front().place == place) {
      targets_.push_back(left_.front());
      left_ = left_.subspan(1);
    }
    std::ranges::sort(targets_, [](const Columns::Target& a, const Columns::Target& b) {
      return a.count != b.count ? a.count > b.count : a.name < b.name;
    });
    return targets_;
  }

 private:
  std::span<const Columns::Target> left_;
  std::vector<Columns::Target> targets_;
};

class TextDump {
 public:
  TextDump(const Columns& columns, TextBuffer& out) : columns_(columns), out_(out) {}

  void function(const Columns::Top& top) {
    part_ = &columns_.part(top);
    out_.text("Function: ");
    if (top.frames)
      out_.text(columns_.context_text(top));
    else
      name(columns_.node(top).name);
    out_.text(": ");
    node(top.node, 0);
  }

 private:
  void name(u32 id) {
    if (columns_.names[id].is_guid)
      out_.decimal(columns_.names[id].guid);
    else
      out_.text(columns_.names[id].text);
  }

  void location(profile::LineLocation at) {
    out_.decimal(at.line_offset);
    if (!at.discriminator) return;
    out_.text('.');
    out_.decimal(at.discriminator);
  }

  void node(u32 at, size_t indent) {
    const auto& node = part_->nodes[at];
    if (node.checksum) {
      out_.text("CFG checksum ");
      out_.decimal(node.checksum);
      out_.text('\n');
    }
    out_.decimal(node.total);
    out_.text(", ");
    out_.decimal(node.head);
    out_.text(", ");
    out_.decimal(node.own_places);
    out_.text(" sampled lines\n");
    out_.spaces(indent);
    body(at, indent);
    out_.spaces(indent);
    inlinees(at, indent);
  }

  void body(u32 at, size_t indent) {
    u32 first = part_->nodes[at].first_place, end = first + part_->nodes[at].own_places;
    if (first == end) return out_.text("No samples collected in the function's body\n");
    out_.text("Samples collected in the function's body {\n");
    TargetWalk targets(*part_, at);
    for (u32 i = first; i < end; ++i) {
      const auto& place = part_->places[i];
      out_.spaces(indent + 2);
      location(place.location);
      out_.text(": ");
      out_.decimal(place.samples);
      const auto& called = targets.of(i);
      if (!called.empty()) out_.text(", calls:");
      for (const auto& target : called) count(' ', target.name, target.count);
      out_.text('\n');
      vtables(at, place.location, indent);
    }
    out_.spaces(indent);
    out_.text("}\n");
  }

  void inlinees(u32 at, size_t indent) {
    u32 end = part_->nodes[at].end;
    if (at + 1 == end) return out_.text("No inlined callsites in this function\n");
    out_.text("Samples collected in inlined callsites {\n");
    for (u32 i = at + 1; i < end; i = part_->nodes[i].end) {
      auto site = part_->nodes[i].call_site;
      out_.spaces(indent + 2);
      location(site);
      out_.text(": inlined callee: ");
      name(part_->nodes[i].name);
      out_.text(": ");
      node(i, indent + 4);
      u32 next = part_->nodes[i].end;
      if (next == end || part_->nodes[next].call_site != site) vtables(at, site, indent);
    }
    out_.spaces(indent);
    out_.text("}\n");
  }

  void vtables(u32 at, profile::LineLocation site, size_t indent) {
    if (part_->vtables.empty()) return;
    bool any = false;
    for (const auto& vtable : part_->vtables_of(at)) {
      if (vtable.location != site) continue;
      if (!any) {
        out_.spaces(indent + 2);
        location(site);
        out_.text(": vtables: ");
      }
      any = true;
      name(vtable.name);
      out_.text(':');
      out_.decimal(vtable.count);
      out_.text(' ');
    }
    if (any) out_.text('\n');
  }

  void count(char before, u32 of, u64 samples) {
    out_.text(before);
    name(of);
    out_.text(':');
    out_.decimal(samples);
  }

  const Columns& columns_;
  const Columns::Part* part_ = nullptr;
  TextBuffer& out_;
};

// Indented by two, as LLVM's writer of JSON does.
class JsonDump {
 public:
  JsonDump(const Columns& columns, TextBuffer& out) : columns_(columns), out_(out) {}

  void function(const Columns::Top& top, bool first) {
    part_ = &columns_.part(top);
    out_.text(first ? "\n  " : ",\n  ");
    node(top.node, 2, true);
  }

 private:
  void line(size_t indent) {
    out_.text('\n');
    out_.spaces(indent);
  }
  void attribute(std::string_view name, size_t indent, bool first) {
    if (!first) out_.text(',');
    line(indent);
    out_.text('"');
    out_.text(name);
    out_.text("\": ");
  }

  void string(u32 id) {
    std::string scratch;
    std::string_view text = columns_.text(id, scratch);
    bool plain = std::ranges::none_of(text, [](char c) {
      return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 ||
             static_cast<unsigned char>(c) >= 0x7f;
    });
    if (!plain) return out_.text(report::json_quoted(text));
    out_.text('"');
    out_.text(text);
    out_.text('"');
  }

  void location(profile::LineLocation at, size_t indent) {
    attribute("line", indent, true);
    out_.decimal(at.line_offset);
    if (!at.discriminator) return;
    attribute("discriminator", indent, false);
    out_.decimal(at.discriminator);
  }

  void node(u32 at, size_t indent, bool top) {
    const auto& node = part_->nodes[at];
    out_.text('{');
    attribute("name", indent + 2, true);
    string(node.name);
    attribute("total", indent + 2, false);
    out_.decimal(node.total);
    if (top) {
      attribute("head", indent + 2, false);
      out_.decimal(node.head);
    }
    body(at, indent + 2);
    inlinees(at, indent + 2);
    line(indent);
    out_.text('}');
  }

  void body(u32 at, size_t indent) {
    u32 first = part_->nodes[at].first_place, end = first + part_->nodes[at].own_places;
    if (first == end) return;
    attribute("body", indent, false);
    out_.text('[');
    TargetWalk targets(*part_, at);
    for (u32 i = first; i < end; ++i) {
      if (i > first) out_.text(',');
      line(indent + 2);
      out_.text('{');
      location(part_->places[i].location, indent + 4);
      attribute("samples", indent + 4, false);
      out_.decimal(part_->places[i].samples);
      calls(targets.of(i), indent + 4);
      line(indent + 2);
      out_.text('}');
    }
    line(indent);
    out_.text(']');
  }

  void calls(const std::vector<Columns::Target>& targets, size_t indent) {
    if (targets.empty()) return;
    attribute("calls", indent, false);
    out_.text('[');
    for (const auto& target : targets) {
      if (&target != &targets.front()) out_.text(',');
      line(indent + 2);
      out_.text('{');
      attribute("function", indent + 4, true);
      string(target.name);
      attribute("samples", indent + 4, false);
      out_.decimal(target.count);
      line(indent + 2);
      out_.text('}');
    }
    line(indent);
    out_.text(']');
  }

  void inlinees(u32 at, size_t indent) {
    u32 end = part_->nodes[at].end;
    if (at + 1 == end) return;
    attribute("callsites", indent, false);
    out_.text('[');
    for (u32 i = at + 1; i < end; i = part_->nodes[i].end) {
      if (i > at + 1) out_.text(',');
      line(indent + 2);
      out_.text('{');
      location(part_->nodes[i].call_site, indent + 4);
      attribute("samples", indent + 4, false);
      out_.text('[');
      line(indent + 6);
      node(i, indent + 6, false);
      line(indent + 4);
      out_.text(']');
      line(indent + 2);
      out_.text('}');
    }
    line(indent);
    out_.text(']');
  }

  const Columns& columns_;
  const Columns::Part* part_ = nullptr;
  TextBuffer& out_;
};

// `dump(text, order, first, end)` appends the text of a part of the functions.
template <class Dump>
void in_pieces(const Columns& columns, const TakeText& take, Dump dump) {
  constexpr size_t piece_places = 1 << 12;  // some 75 kB of text, which stay in the cache
  constexpr size_t large_piece = 1 << 20;   // of one function: its text is not kept
  auto order = columns.by_total();
  std::vector<size_t> begins, sizes;
  for (size_t i = 0; i < order.size(); ++i) {
    if (begins.empty() || sizes.back() >= piece_places) begins.push_back(i), sizes.push_back(0);
    const auto& top = columns.functions[order[i]];
    sizes.back() +=
        columns.part(top).places_within(top.node).size() + columns.node(top).end - top.node;
  }
  begins.push_back(order.size());
  std::vector<TextBuffer> texts(worker_count(0));
  auto make = [&](size_t piece, unsigned worker) {
    texts[worker].clear();
    if (sizes[piece] < large_piece) dump(texts[worker], order, begins[piece], begins[piece + 1]);
  };
  auto hand_on = [&](size_t piece, unsigned worker) {
    if (sizes[piece] < large_piece) return take(texts[worker].view());
    TextBuffer text(take);
    dump(text, order, begins[piece], begins[piece + 1]);
    text.flush();
  };
  parallel_in_order(sizes.size(), 0, make, hand_on);
}

// Names stand in memory anywhere, and a third of the time of a dump was spent waiting for them:
// they are asked for some functions ahead, their texts when the names have come.
class NamesAhead {
 public:
  NamesAhead(const Columns& columns, const std::vector<u32>& order, size_t end)
      : columns_(columns), order_(order), end_(end) {}

  // The function at `i` is next.
  void at(size_t i) {
    each_name(i + 2, [&](u32 name) { __builtin_prefetch(&columns_.names[name]); });
    each_name(i + 1, [&](u32 name) { __builtin_prefetch(columns_.names[name].text.data()); });
  }

 private:
  template <class Use>
  void each_name(size_t i, Use use) const {
    if (i >= end_) return;
    const auto& top = columns_.functions[order_[i]];
    const auto& part = columns_.part(top);
    u32 end = part.nodes[top.node].end;
    for (u32 node = top.node; node < end; ++node) use(part.nodes[node].name);
    u32 first = part.nodes[top.node].first_target;
    auto last = end < part.nodes.size() ? part.nodes[end].first_target : part.targets.size();
    for (size_t target = first; target < last; ++target) use(part.targets[target].name);
  }

  const Columns& columns_;
  const std::vector<u32>& order_;
  size_t end_;
};

struct HotFunction {
  const Columns::Top* top;
  u64 max = 0;
};

// Columns as LLVM's formatted stream pads them: at least one blank.
void pad_to(std::string& line, size_t column) {
  line.append(line.size() < column ? column - line.size() : 1, ' ');
}

}  // namespace

void dump_functions(const Columns& columns, const TakeText& take) {
  in_pieces(columns, take,
            [&](TextBuffer& text, const std::vector<u32>& order, size_t first, size_t end) {
              TextDump dump(columns, text);
              NamesAhead names(columns, order, end);
              for (size_t i = first; i < end; ++i) {
                names.at(i);
                dump.function(columns.functions[order[i]]);
              }
            });
}

void dump_functions_json(const Columns& columns, const TakeText& take) {
  if (columns.functions.empty()) return take("[]\n");
  take("[");
  in_pieces(columns, take,
            [&](TextBuffer& text, const std::vector<u32>& order, size_t first, size_t end) {
              JsonDump dump(columns, text);
              for (size_t i = first; i < end; ++i)
                dump.function(columns.functions[order[i]], i == 0);
            });
  take("\n]\n");
}

std::string dump_function(const Columns& columns, std::string_view name) {
  TextBuffer text;
  TextDump dump(columns, text);
  u64 guid = function_guid(name);
  for (const auto& top : columns.functions) {
    // the peer looks contexts up by a hash of their frames, which a name never has
    const auto& id = columns.names[columns.node(top).name];
    if (top.frames || (id.is_guid ? id.guid != guid : id.text != name)) continue;
    dump.function(top);
    return std::string(text.view());
  }
  return "Function: : 0, 0, 0 sampled lines\n"
         "No samples collected in the function's body\n"
         "No inlined callsites in this function\n";
}

std::string dump_symbols(const Columns& columns) {
  std::string text = "======== Dump profile symbol list ========\n";
  auto sorted = columns.symbols;
  std::ranges::sort(sorted);
  for (const auto& symbol : sorted) text += symbol + "\n";
  return text;
}

std::string dump_summary(const profile::Summary& summary) {
  std::string text = fmt::format(
      "Total functions: {}\nMaximum function count: {}\nMaximum internal block count: 0\n"
      "Total number of blocks: {}\nTotal count: {}\nDetailed summary:\n",
      summary.num_functions, summary.max_function_count, summary.num_counts, summary.total);
  for (const auto& entry : summary.entries)
    text +=
        fmt::format("{} blocks ({:.2f}%) with count >= {} account for {:g}% of the total counts.\n",
                    entry.num_counts, 100 * share(entry.num_counts, summary.num_counts),
                    entry.min_count, static_cast<float>(entry.cutoff) / 1000000 * 100);
  return text;
}

std::string dump_hot_functions(const Columns& columns, u64 top) {
  u64 threshold = 0, total = 0, hot_total = 0;
  for (const auto& entry : columns.summary.entries)
    if (entry.cutoff == profile::hot_cutoff) threshold = entry.min_count;
  std::vector<HotFunction> hot;
  for (u32 i : analysis::llvm_order(columns)) {
    HotFunction function{&columns.functions[i]};
    for (const auto& place : columns.part(*function.top).places_within(function.top->node))
      function.max = std::max(function.max, place.samples);
    total += columns.node(*function.top).total;
    if (function.max < threshold) continue;
    hot_total += columns.node(*function.top).total;
    hot.push_back(function);
  }
  std::ranges::stable_sort(hot, std::greater<>(), [&](const HotFunction& function) {
    return columns.node(*function.top).total;
  });
  std::string text = fmt::format(
      "{} out of {} functions with profile ({:.2f}%) are considered hot functions (max sample >= "
      "{}).\n{} out of {} profile counts ({:.2f}%) are from hot functions.\n"
      " Total sample (%)       Max sample        Entry sample    Function name\n",
      hot.size(), columns.functions.size(), 100 * share(hot.size(), columns.functions.size()),
      threshold, hot_total, total, 100 * share(hot_total, total));
  if (top && top < hot.size()) hot.resize(top);
  for (const auto& function : hot) {
    const auto& node = columns.node(*function.top);
    double of_total =
        total ? static_cast<double>(node.total) * 100.0 / static_cast<double>(total) : 0;
    std::string line = fmt::format(" {} ({:.2f}%)", node.total, of_total);
    pad_to(line, 24);
    line += fmt::format("{}", function.max);
    pad_to(line, 42);
    line += fmt::format("{}", columns.entry_estimate(*function.top));
    pad_to(line, 58);
    text += line + columns.context_text(*function.top) + "\n";
  }
  return text;
}

}  // namespace pgokit::cli
