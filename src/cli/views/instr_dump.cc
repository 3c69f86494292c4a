#include "cli/views/instr_dump.h"

#include <algorithm>
#include <functional>
#include <map>

#include "instr_profile/format.h"
#include "instr_profile/model/summary.h"
#include "instr_profile/text/write_text.h"

namespace pgokit::cli {
namespace {

using instr_profile::Facts;
using instr_profile::Mark;
using instr_profile::Record;
using instr_profile::ValueCount;
using instr_profile::ValueKind;
namespace Kind = instr_profile::Kind;

struct SiteCounts {
  u64 sites = 0, with_values = 0, values = 0;
  std::map<size_t, u64> histogram;  // sites by their number of values
};

// The functions with the largest counts; of equal ones those that came first.
class Hottest {
 public:
  explicit Hottest(u64 most) : most_(most) {}

  void add(std::string_view name, u64 count) {
    if (most_ == 0) return;
    auto at = std::ranges::upper_bound(sorted_, count, std::greater(), &Entry::second);
    if (at == sorted_.end() && sorted_.size() == most_) return;
    sorted_.emplace(at, name, count);
    if (sorted_.size() > most_) sorted_.pop_back();
  }
  const auto& sorted() const { return sorted_; }

 private:
  using Entry = std::pair<std::string, u64>;
  u64 most_;
  std::vector<Entry> sorted_;
};

class Dump {
 public:
  Dump(const InstrDump& options, const Facts& names, const report::TakeText& take)
      : o_(options), names_(names), out_(take), hottest_(options.top) {}

  Status print(Bytes bytes) {
    Facts facts;
    indexed_ = instr_profile::form_of(bytes) == instr_profile::Form::indexed;
    if (!o_.text && o_.only_below)
      line("The list of functions with the maximum counter less than {}:", o_.value_cutoff);
    if (o_.text && (names_.kind & Kind::ir)) out_.text(":ir\n");
    auto status = instr_profile::read(bytes, facts, [&](const Record& record) -> Status {
      print_function(record);
      return {};
    });
    if (!status) return status;
    if (!o_.text && !o_.covered) print_end(facts);
    out_.flush();
    return {};
  }

 private:
  template <class... A>
  void line(fmt::format_string<A...> text, A&&... values) {
    out_.text(fmt::format(text, std::forward<A>(values)...));
    out_.text('\n');
  }
  bool ir() const { return names_.kind & Kind::ir; }

  void print_function(const Record& record) {
    if (ir() && instr_profile::is_context_sensitive(record.hash) != o_.context_sensitive) return;
    bool show = o_.all_functions || (!o_.function.empty() && record.name.contains(o_.function));
    if (show && o_.text) return instr_profile::write_record(record, names_.names, out_);
    summary_.add(record);
    if (o_.covered) {
      if (std::ranges::any_of(record.counters, [](u64 count) { return count != 0; }))
        line("{}", record.name);
      return;
    }
    if (auto mark = instr_profile::mark_of(record.counters); mark != Mark::none) {
      if (!show) return;
      print_head(record);
      line("    Counters: {}    {}", record.counters.size(),
           mark == Mark::hot ? "<PseudoHot>" : "<PseudoWarm>");
      return;
    }
    u64 largest = 0, sum = 0;
    for (u64 count : record.counters) largest = std::max(largest, count), sum += count;
    if (largest < o_.value_cutoff) {
      ++below_cutoff_;
      if (o_.only_below) line("  {}: (Max = {} Sum = {})", record.name, largest, sum);
      return;
    }
    if (o_.only_below) return;
    hottest_.add(record.name, largest);
    if (show) print_shown(record);
  }

  void print_head(const Record& record) {
    if (shown_++ == 0) line("Counters:");
    line("  {}:", record.name);
    line("    Hash: {:#018x}", record.hash);
  }

  void print_shown(const Record& record) {
    print_head(record);
    line("    Counters: {}", record.counters.size());
    if (!ir() && !record.counters.empty()) line("    Function count: {}", record.counters[0]);
    auto sites = [&](ValueKind kind) {
      return record.values ? record.values->sites[static_cast<size_t>(kind)] : 0;
    };
    u32 memops = sites(ValueKind::memop_size);
    if (o_.call_targets) line("    Indirect Call Site Count: {}", sites(ValueKind::indirect_call));
    if (o_.vtables) line("    Number of instrumented vtables: {}", sites(ValueKind::vtable));
    if (o_.memop_sizes && memops) line("    Number of Memory Intrinsics Calls: {}", memops);
    if (o_.counts) print_counts(record.counters.subspan(ir() || record.counters.empty() ? 0 : 1));
    if (o_.call_targets) print_sites(record, ValueKind::indirect_call, "Indirect Target");
    if (o_.vtables) print_sites(record, ValueKind::vtable, "VTable");
    if (o_.memop_sizes && memops)
      print_sites(record, ValueKind::memop_size, "Memory Intrinsic Size");
  }

  void print_counts(std::span<const u64> counts) {
    out_.text("    Block counts: [");
    for (size_t i = 0; i < counts.size(); ++i) {
      if (i) out_.text(", ");
      out_.decimal(counts[i]);
    }
    out_.text("]\n");
  }

  void print_sites(const Record& record, ValueKind kind, std::string_view what) {
    line("    {} Results:", what);
    if (!record.values) return;
    auto& counts = sites_[static_cast<size_t>(kind)];
    size_t number = 0;
    record.values->each_site([&](ValueKind of_site, std::span<const ValueCount> site) {
      if (of_site != kind) return;
      print_site(kind, number++, site);
      ++counts.sites;
      counts.with_values += !site.empty();
      counts.values += site.size();
      if (!site.empty()) ++counts.histogram[site.size()];
    });
  }

  void print_site(ValueKind kind, size_t number, std::span<const ValueCount> site) {
    u64 sum = 0;
    for (const auto& value : site) sum += value.count;
    for (auto [value, count] : site) {
      auto shown = kind == ValueKind::memop_size ? fmt::format("{:4}", value)
                                                 : std::string(names_.names.find(value));
      double percent = static_cast<double>(count) * 100.0 / static_cast<double>(sum);
      line("\t[ {:2}, {}, {:10} ] ({:.2f}%)", number, shown, count, percent);
    }
  }

  void print_end(const Facts& facts) {
    // Of several raw profiles in one file the last one's.
    u64 kind = facts.version & Kind::of_version ? facts.version : facts.kind;
    if (ir())
      line("Instrumentation level: IR  entry_first = {}  instrument_loop_entries = {}",
           kind & Kind::entry_first ? 1 : 0, kind & Kind::loop_entries ? 1 : 0);
    else
      line("Instrumentation level: Front-end");
    if (o_.all_functions || !o_.function.empty()) line("Functions shown: {}", shown_);
    line("Total functions: {}", summary_.functions);
    line("Maximum function count: {}", summary_.largest_entry);
    line("Maximum internal block count: {}", summary_.largest_inner);
    line("Total number of blocks: {}", summary_.counters);
    line("Total count: {}", summary_.total);
    if (o_.value_cutoff) {
      line("Number of functions with maximum count (< {}): {}", o_.value_cutoff, below_cutoff_);
      line("Number of functions with maximum count (>= {}): {}", o_.value_cutoff,
           summary_.functions - below_cutoff_);
    }
    print_hottest();
    print_site_counts(o_.call_targets, ValueKind::indirect_call, "indirect call sites");
    print_site_counts(o_.vtables, ValueKind::vtable, "vtable");
    print_site_counts(o_.memop_sizes, ValueKind::memop_size, "memory intrinsic calls sizes");
    print_summary();
    if (o_.binary_ids) print_binary_ids(facts);
    if (o_.version) line("Profile version: {}", facts.version);
    if (o_.traces) print_traces(facts);
  }

  void print_hottest() {
    if (o_.top == 0) return;
    line("Top {} functions with the largest internal block counts: ", o_.top);
    for (const auto& [name, count] : hottest_.sorted()) line("  {}, max count = {}", name, count);
  }

  void print_site_counts(bool wanted, ValueKind kind, std::string_view what) {
    if (!wanted || shown_ == 0) return;
    const auto& counts = sites_[static_cast<size_t>(kind)];
    line("Statistics for {} profile:", what);
    line("  Total number of sites: {}", counts.sites);
    line("  Total number of sites with values: {}", counts.with_values);
    line("  Total number of profiled values: {}", counts.values);
    line("  Value sites histogram:\n\tNumTargets, SiteCount");
    for (auto [values, sites] : counts.histogram) line("\t{}, {}", values, sites);
  }

  void print_summary() {
    if (!o_.detailed_summary) return;
    line("Detailed summary:");
    std::span<const u32> cutoffs = instr_profile::summary_cutoffs;
    if (!o_.cutoffs.empty()) cutoffs = o_.cutoffs;
    for (auto [cutoff, min_count, counters] : summary_.at(cutoffs))
      line("{} blocks ({:.2f}%) with count >= {} account for {}% of the total counts.", counters,
           summary_.counters
               ? 100.0 * static_cast<double>(counters) / static_cast<double>(summary_.counters)
               : 0,
           min_count, fmt::format("{:.6g}", cutoff / 10000.0));
  }

  void print_binary_ids(const Facts& facts) {
    if (facts.binary_ids.empty() && !indexed_) return;
    line("Binary IDs: ");
    for (auto id : facts.binary_ids) {
      for (char c : id) out_.text(fmt::format("{:02x}", static_cast<u8>(c)));
      out_.text('\n');
    }
  }

  void print_traces(const Facts& facts) {
    line("Temporal Profile Traces (samples={} seen={}):", facts.traces.size(), facts.traces_seen);
    for (size_t i = 0; i < facts.traces.size(); ++i) {
      const auto& trace = facts.traces[i];
      line("  Temporal Profile Trace {} (weight={} count={}):", i, trace.weight,
           trace.functions.size());
      for (u64 function : trace.functions) line("    {}", names_.names.find(function));
    }
  }

  const InstrDump& o_;
  const Facts& names_;
  report::TextBuffer out_;
  instr_profile::Summary summary_;
  Hottest hottest_;
  SiteCounts sites_[instr_profile::value_kinds];
  u64 shown_ = 0, below_cutoff_ = 0;
  bool indexed_ = false;
};

}  // namespace

Status dump_instr(Bytes bytes, const InstrDump& options, const report::TakeText& take) {
  Facts names;
  names.wants_names = true;
  TRY(instr_profile::read(bytes, names, [](const Record&) -> Status { return {}; }));
  return Dump(options, names, take).print(bytes);
}

}  // namespace pgokit::cli
