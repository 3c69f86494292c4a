// `pgokit probes compare`: what two builds made of the same probes, side by side.
#include <algorithm>

#include "base/printable.h"
#include "cli/commands/probes_commands.h"
#include "cli/function_filter.h"
#include "cli/options.h"
#include "cli/views/list_output.h"
#include "cli/views/probe_names.h"
#include "probe/comparison.h"
#include "report/json.h"
#include "report/numbers.h"

namespace pgokit::cli {
namespace {

using probe::Comparison;
using probe::Side;
using report::counted;
using report::grouped;

struct Settings {
  std::string first, second, function;
  u64 top = 20;
  bool changed = false, mangled = false, json = false;
};

// Both builds, and what they have of a function.
struct Builds {
  program::ProbeFile first, second;
  Comparison comparison;

  const program::ProbeFile& of(Side side) const { return side == Side::first ? first : second; }
  std::string_view name(u64 guid) const {
    auto name = probe_function_name(first, guid);
    return name.empty() ? probe_function_name(second, guid) : name;
  }
  std::string_view symbol(Side side, u64 guid) const { return of(side).symbol_name(guid); }
  // Compiled from other source, or with other macros: indices need not mean the same.
  bool has_other_hash(u64 guid) const {
    const auto* a = first.descriptors().find(guid);
    const auto* b = second.descriptors().find(guid);
    return a && b && a->hash != b->hash;
  }
};

Status collect(Builds& builds, Side side) {
  const auto& file = builds.of(side);
  auto collector = builds.comparison.collector(side);
  std::string broken;
  for (const auto& section : file.sections())
    if (auto at = probe::walk_section(section.bytes, file.address_of(section), collector))
      if (broken.empty()) broken = broken_record(section, *at);
  return all_read(file, broken);
}

struct Totals {
  std::array<u64, 2> functions = {}, probes = {}, inlined = {};
  u64 both = 0, other_hash = 0, gone = 0, added = 0, moved = 0;
};

Totals totals_of(const Builds& builds) {
  Totals all;
  for (const auto& one : builds.comparison.functions()) {
    for (size_t side : {0, 1}) {
      all.functions[side] += one.probes[side] > 0;
      all.probes[side] += one.probes[side], all.inlined[side] += one.inlined[side];
    }
    if (!one.is_in(Side::first) || !one.is_in(Side::second)) continue;
    ++all.both;
    all.other_hash += builds.has_other_hash(one.guid);
    all.gone += one.gone, all.added += one.added, all.moved += one.moved;
  }
  return all;
}

// Those with the most differences first; functions of one build only come last.
std::vector<const Comparison::Function*> chosen(const Builds& builds,
                                                const FunctionFilter& filter) {
  std::vector<const Comparison::Function*> list;
  for (const auto& one : builds.comparison.functions())
    if (filter.matches(builds.name(one.guid)) && (filter.is_set() || one.differences() > 0))
      list.push_back(&one);
  auto in_both = [](const auto* one) {
    return one->is_in(Side::first) && one->is_in(Side::second);
  };
  std::ranges::stable_sort(list, [&](const auto* a, const auto* b) {
    return std::tuple(in_both(a), a->differences()) > std::tuple(in_both(b), b->differences());
  });
  return list;
}

class TextComparison {
 public:
  TextComparison(const Builds& builds, const Settings& settings, ListOutput& out)
      : builds_(builds), settings_(settings), out_(out) {}

  void print_totals() {
    Totals all = totals_of(builds_);
    out_.put("A: {}\nB: {}\n\n{:<12}{:>10} {:>10}\n", printable_line(builds_.first.path()),
             printable_line(builds_.second.path()), "", "A", "B");
    auto line = [&](std::string_view what, const std::array<u64, 2>& counts,
                    const std::string& more) {
      out_.put("{:<12}{:>10} {:>10}   {}\n", what, grouped(counts[0]), grouped(counts[1]), more);
    };
    line("functions", all.functions,
         fmt::format("{} in both, {} only in A, {} only in B", grouped(all.both),
                     grouped(all.functions[0] - all.both), grouped(all.functions[1] - all.both)));
    line("probes", all.probes,
         fmt::format("in functions of both: {} gone, {} new, {} with another number of copies",
                     grouped(all.gone), grouped(all.added), grouped(all.moved)));
    line("inlined", all.inlined, "copies of functions");
    if (all.other_hash)
      out_.put("\n{} another control-flow graph in B: their probes need not be the same\n",
               counted(all.other_hash, "function has", "functions have"));
  }

  void print_list(std::span<const Comparison::Function* const> list) {
    if (list.empty()) return out_.put("\nevery probe has as many copies in A as in B\n");
    out_.put("\n{:>10} {:>10} {:>8} {:>8} {:>8}  function\n", "A", "B", "gone", "new", "copies");
    for (const auto* one : list.first(std::min<size_t>(list.size(), settings_.top)))
      out_.put("{:>10} {:>10} {:>8} {:>8} {:>8}  {}{}\n", grouped(one->probes[0]),
               grouped(one->probes[1]), grouped(one->gone), grouped(one->added),
               grouped(one->moved), name(one->guid),
               builds_.has_other_hash(one->guid) ? "  (other source)" : "");
    if (list.size() > settings_.top)
      out_.put("{:>49}{} more: --top, or --function RE for all probes of some\n", "",
               grouped(list.size() - settings_.top));
  }

  // All probes of a function, or those that are not in both as often.
  void print_function(const Comparison::Function& function) {
    out_.put("\n{}{}\n{:>22}{:<24} {}\n", name(function.guid),
             builds_.has_other_hash(function.guid) ? "  (other source)" : "", "", "A", "B");
    path_.clear();
    for (const auto& row : builds_.comparison.rows(function)) {
      bool same = row.first.size() == row.second.size();
      if (same && settings_.changed) continue;
      print_context(row.context);
      size_t indent = 2 * std::min<u32>(depth_of(row.context), 40);
      out_.put("{:>{}}{:>6}  {:<14}{:<24} {:<24}{}", "", indent, row.index,
               probe_type_name(row.type), places(Side::first, function, row.first),
               places(Side::second, function, row.second), remark(row));
      auto& text = out_.text();
      while (text.ends_with(' ')) text.pop_back();
      text += '\n';
      out_.flush(1 << 16);
    }
  }

 private:
  u32 depth_of(u32 context) const { return builds_.comparison.contexts()[context].depth; }

  // The calls that are not on the way to the row before.
  void print_context(u32 context) {
    std::vector<u32> path;
    for (u32 at = context; at != probe::none; at = builds_.comparison.contexts()[at].parent)
      path.push_back(at);
    std::ranges::reverse(path);
    size_t common = 0;
    while (common < std::min(path.size(), path_.size()) && path[common] == path_[common]) ++common;
    for (size_t n = std::max<size_t>(common, 1); n < path.size(); ++n) {
      const auto& one = builds_.comparison.contexts()[path[n]];
      out_.put("{:>{}}@{} {}\n", "", 2 * std::min<size_t>(n, 40), one.call_site,
               name(one.function));
    }
    path_ = std::move(path);
  }

  // Offsets from the start of the code, the first few of them.
  std::string places(Side side, const Comparison::Function& function,
                     std::span<const Comparison::Copy> copies) {
    constexpr size_t most = 3;
    if (copies.empty()) return "-";
    std::string text;
    for (const auto& one : copies.first(std::min(copies.size(), most))) {
      if (!text.empty()) text += ' ';
      if (one.symbol != function.guid)
        text += printable_line(listed_name(builds_.symbol(side, one.symbol), settings_.mangled));
      fmt::format_to(std::back_inserter(text), "+{:x}", one.offset);
    }
    if (copies.size() > most) fmt::format_to(std::back_inserter(text), " … {}", copies.size());
    return text;
  }

  static std::string remark(const Comparison::Row& row) {
    if (row.second.empty()) return "gone";
    if (row.first.empty()) return "new";
    if (row.first.size() == row.second.size()) return "";
    return fmt::format("{} → {} copies", row.first.size(), row.second.size());
  }

  const std::string& name(u64 guid) {
    auto [at, is_new] = names_.try_emplace(guid);
    if (!is_new) return at->second;
    std::string_view name = builds_.name(guid);
    at.value() = name.empty() ? fmt::format("function {} without descriptor", guid)
                              : printable_line(listed_name(name, settings_.mangled));
    return at->second;
  }

  const Builds& builds_;
  const Settings& settings_;
  ListOutput& out_;
  std::vector<u32> path_;  // contexts of the row before
  tsl::robin_map<u64, std::string, IntHash> names_;
};

// A line for each function, as lists may be long.
class JsonComparison {
 public:
  JsonComparison(const Builds& builds, const Settings& settings, ListOutput& out)
      : builds_(builds), settings_(settings), out_(out) {}

  void print(std::span<const Comparison::Function* const> list) {
    Totals all = totals_of(builds_);
    out_.put("{{\n\"files\": [{}, {}],\n", report::json_quoted(builds_.first.path()),
             report::json_quoted(builds_.second.path()));
    out_.put("\"functions_with_code\": [{}, {}], \"in_both\": {}, \"with_other_hash\": {},\n",
             all.functions[0], all.functions[1], all.both, all.other_hash);
    out_.put(
        "\"probes\": [{}, {}], \"gone\": {}, \"new\": {}, \"other_copies\": {}, \"inlined\": [{}, "
        "{}],\n",
        all.probes[0], all.probes[1], all.gone, all.added, all.moved, all.inlined[0],
        all.inlined[1]);
    out_.put("\"functions\": [");
    const char* separator = "\n";
    for (const auto* one : list) print_function(*one, std::exchange(separator, ",\n"));
    out_.put("]\n}}\n");
  }

 private:
  void print_function(const Comparison::Function& one, const char* separator) {
    out_.put(
        R"({}{{"function": {}, "guid": "{}", "other_hash": {}, "probes": [{}, {}], "gone": {}, )"
        R"("new": {}, "other_copies": {}, "inlined": [{}, {}], "rows": [)",
        separator, quoted(builds_.name(one.guid)), one.guid, builds_.has_other_hash(one.guid),
        one.probes[0], one.probes[1], one.gone, one.added, one.moved, one.inlined[0],
        one.inlined[1]);
    bool all = !settings_.function.empty() && !settings_.changed;
    const char* between = "";
    for (const auto& row : builds_.comparison.rows(one))
      if (all || row.first.size() != row.second.size()) {
        out_.put("{}", std::exchange(between, ", "));
        print_row(row);
      }
    out_.put("]}}");
    out_.flush(1 << 16);
  }

  void print_row(const Comparison::Row& row) {
    std::string inlined_by, separator;
    for (u32 at = row.context;;) {
      const auto& context = builds_.comparison.contexts()[at];
      if (context.parent == probe::none) break;
      inlined_by =
          fmt::format(R"({{"function": {}, "call_site": {}}}{}{})",
                      quoted(builds_.name(builds_.comparison.contexts()[context.parent].function)),
                      context.call_site, std::exchange(separator, ", "), inlined_by);
      at = context.parent;
    }
    u64 function = builds_.comparison.contexts()[row.context].function;
    out_.put(R"({{"function": {}, "inlined_by": [{}], "index": {}, "type": "{}", "at": [)",
             quoted(builds_.name(function)), inlined_by, row.index, probe_type_name(row.type));
    print_copies(Side::first, row.first), out_.put(", "), print_copies(Side::second, row.second);
    out_.put("]}}");
  }

  void print_copies(Side side, std::span<const Comparison::Copy> copies) {
    const char* separator = "[";
    for (const auto& one : copies)
      out_.put(R"({}{{"symbol": {}, "offset": {}}})", std::exchange(separator, ", "),
               quoted(builds_.symbol(side, one.symbol)), one.offset);
    out_.put("{}", copies.empty() ? "[]" : "]");
  }

  static std::string quoted(std::string_view name) {
    return name.empty() ? "null" : report::json_quoted(name);
  }

  const Builds& builds_;
  const Settings& settings_;
  ListOutput& out_;
};

Status compare(const Settings& settings) {
  auto filter = TRY(FunctionFilter::compile(settings.function));
  Builds builds{TRY(program::ProbeFile::open(settings.first, {})),
                TRY(program::ProbeFile::open(settings.second, {})),
                {}};
  TRY(collect(builds, Side::first));
  TRY(collect(builds, Side::second));
  builds.comparison.finish();
  auto list = chosen(builds, filter);
  if (filter.is_set() && list.empty()) {
    std::vector<FunctionNamed> names;
    for (const auto& one : builds.comparison.functions()) names.push_back({builds.name(one.guid)});
    return nothing_matches(settings.first, settings.function, names);
  }
  auto output = TRY(OutputFile::create("-"));
  if (!settings.json) output.escape();
  ListOutput out(output);
  if (settings.json) {
    JsonComparison(builds, settings, out).print(list);
  } else {
    TextComparison text(builds, settings, out);
    text.print_totals();
    if (filter.is_set())
      for (const auto* one : list) text.print_function(*one);
    else
      text.print_list(list);
  }
  out.flush();
  return output.commit();
}

int run(std::span<char* const> arguments) {
  Settings settings;
  OptionTable table{
      "pgokit probes compare",
      "Compare what two builds made of the same probes: gone, new, copied, inlined elsewhere.",
      {{"A", "", "program, shared object or object file", &settings.first, true},
       {"B", "", "another build of it", &settings.second, true},
       {"--function", "RE", "all probes of functions whose names match, side by side",
        &settings.function},
       {"--changed", "", "with --function: only probes that are not in both as often",
        &settings.changed},
       {"--top", "N", "that many functions with differences", &settings.top},
       mangled_option(settings.mangled),
       {"--json", "", "print JSON", &settings.json}},
      "  pgokit probes compare old/app new/app --function '^main$'"};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = compare(settings);
  return status ? 0 : report_failure("probes compare", status.error());
}

}  // namespace

constexpr Command probes_compare_command{"compare", "compare the probes of two builds", run};

}  // namespace pgokit::cli
