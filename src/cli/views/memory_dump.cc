#include "cli/views/memory_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/cursor.h"
#include "instr_profile/memory/accessed_data.h"
#include "object/file.h"

namespace pgokit::cli {
namespace {

using instr_profile::AccessedData;
using instr_profile::memory_field;
using instr_profile::memory_fields;
using instr_profile::MemoryFrame;
using instr_profile::MemoryProfile;
using instr_profile::RawMemory;

// The allocations, and the calls, of each function.
class ByRecord {
 public:
  explicit ByRecord(const MemoryProfile& profile)
      : allocs_(sorted(profile.allocs)), call_sites_(sorted(profile.call_sites)) {}

  std::span<const MemoryProfile::Alloc> allocs(u32 record) const { return of(allocs_, record); }
  std::span<const MemoryProfile::CallSite> call_sites(u32 record) const {
    return of(call_sites_, record);
  }
  u64 with_allocs() const {
    u64 number = 0;
    for (size_t i = 0; i < allocs_.size(); ++i)
      number += i == 0 || allocs_[i].record != allocs_[i - 1].record;
    return number;
  }

 private:
  template <class List>
  static List sorted(List list) {
    std::ranges::stable_sort(list, {}, [](const auto& one) { return one.record; });
    return list;
  }
  template <class One>
  static std::span<const One> of(const std::vector<One>& list, u32 record) {
    auto range = std::ranges::equal_range(list, record, {}, &One::record);
    return {range.begin(), range.end()};
  }

  std::vector<MemoryProfile::Alloc> allocs_;
  std::vector<MemoryProfile::CallSite> call_sites_;
};

// What does not look like text, or like something else, is quoted.
std::string yaml_text(const std::string& text) {
  auto is_plain = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-^., \t").contains(static_cast<char>(c));
  };
  auto is_control = [](unsigned char c) { return c < ' ' || c >= 0x7f; };
  if (std::ranges::any_of(text, is_control)) {
    std::string escaped;
    for (unsigned char c : text)
      escaped += is_control(c)           ? fmt::format("\\x{:02X}", c)
                 : c == '"' || c == '\\' ? fmt::format("\\{:c}", c)
                                         : std::string(1, static_cast<char>(c));
    return "\"" + escaped + "\"";
  }
  bool looks_like_number = !text.empty() && text.find_first_not_of("0123456789.+-") == text.npos;
  bool plain = !text.empty() && std::ranges::all_of(text, is_plain) && text.front() != ' ' &&
               text.back() != ' ' && text.front() != '-' && text.front() != ',' &&
               !looks_like_number && text != "null" && text != "true" && text != "false";
  if (plain) return text;
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

class Printer {
 public:
  Printer(const MemoryProfile& profile, const report::TakeText& take)
      : profile_(profile), take_(take), by_record_(profile) {}

  void summary(const AccessedData* data) {
    auto s = summary_of(profile_);
    add("---\n# MemProfSummary:\n#   Total contexts: {}\n#   Total cold contexts: {}\n", s.contexts,
        s.cold);
    add("#   Total hot contexts: {}\n#   Maximum cold context total size: {}\n", s.hot,
        s.largest_cold);
    add("#   Maximum warm context total size: {}\n#   Maximum hot context total size: {}\n",
        s.largest_warm, s.largest_hot);
    if (!data) return;
    add("#   Num hot symbols and string literals: {}\n#   Num known cold symbols: {}\n",
        data->records.size(), data->cold_symbols.size());
    add("#   Num known cold string literals: {}\n", data->cold_hashes.size());
  }

  void yaml(const AccessedData* data) {
    add("---\n");
    if (!profile_.functions.empty()) add("HeapProfileRecords:\n");
    for (u32 record = 0; record < profile_.functions.size(); ++record) yaml_record(record);
    if (data) yaml_data(*data);
    if (profile_.functions.empty() && !data) add("{{}}\n");
    add("...\n");
    flush();
  }

  void raw(const RawMemory& raw) {
    add("MemprofProfile:\n  Summary:\n    Version: {}\n    NumSegments: {}\n", raw.version,
        raw.segments.size());
    add("    NumMibInfo: {}\n    NumAllocFunctions: {}\n    NumStackOffsets: {}\n  Segments:\n",
        profile_.allocs.size(), by_record_.with_allocs(), profile_.raw_stacks);
    for (const auto& segment : raw.segments) {
      auto id = object::hex(as_bytes(segment.build_id));
      add("  -\n    BuildId: {}\n    Start: 0x{:X}\n    End: 0x{:X}\n    Offset: 0x{:X}\n",
          id.empty() ? "<None>" : id, segment.start, segment.end, segment.offset);
    }
    add("  Records:\n");
    for (u32 record = 0; record < profile_.functions.size(); ++record) raw_record(record);
    flush();
  }

 private:
  template <class... A>
  void add(fmt::format_string<A...> format, A&&... values) {
    constexpr size_t piece = 1 << 16;
    fmt::format_to(std::back_inserter(text_), format, std::forward<A>(values)...);
    if (text_.size() > piece) flush();
  }
  void flush() {
    take_(text_);
    text_.clear();
  }

  void yaml_frames(u32 stack) {
    profile_.stacks.each_frame(stack, [&](u32 number) {
      const auto& frame = profile_.frames[number];
      add("          - {{ Function: {:#x}, LineOffset: {}, Column: {}, IsInlineFrame: {} }}\n",
          frame.function, frame.line, frame.column, frame.inlined);
    });
  }

  // Keys are filled up to 16 characters.
  void yaml_record(u32 record) {
    add("  - {:<16} {:#x}\n", "GUID:", profile_.functions[record]);
    auto allocs = by_record_.allocs(record);
    if (!allocs.empty()) add("    AllocSites:\n");
    for (const auto& alloc : allocs) {
      add("      - Callstack:\n");
      yaml_frames(alloc.stack);
      add("        MemInfoBlock:\n");
      for (u32 field = 1; field <= memory_fields; ++field)
        if (profile_.blocks[alloc.block].fields >> field & 1)
          add("          {:<16} {}\n", fmt::format("{}:", memory_field(field).name),
              profile_.value(alloc.block, field));
    }
    auto sites = by_record_.call_sites(record);
    if (!sites.empty()) add("    CallSites:\n");
    for (const auto& site : sites) {
      add("      - Frames:\n");
      yaml_frames(site.stack);
      if (site.callees == 0) continue;
      auto callees = std::span(profile_.callees).subspan(site.first_callee, site.callees);
      add("        {:<16} [ {:#x} ]\n", "CalleeGuids:", fmt::join(callees, ", "));
    }
  }

  void yaml_data(const AccessedData& data) {
    add("DataAccessProfiles:\n");
    if (!data.records.empty()) add("  SampledRecords:\n");
    for (const auto& one : data.records) {
      if (one.symbol.empty())
        add("    - {:<16} {}\n", "Hash:", one.hash);
      else
        add("    - {:<16} {}\n", "Symbol:", yaml_text(one.symbol));
      add("      {:<16} {}\n", "AccessCount:", one.count);
      if (!one.places.empty()) add("      Locations:\n");
      for (const auto& place : one.places)
        add("        - {:<16} {}\n          {:<16} {}\n", "FileName:", yaml_text(place.file),
            "Line:", place.line);
    }
    if (!data.cold_symbols.empty()) add("  KnownColdSymbols:\n");
    for (const auto& symbol : data.cold_symbols) add("    - {}\n", yaml_text(symbol));
    if (!data.cold_hashes.empty())
      add("  KnownColdStrHashes: [ {} ]\n", fmt::join(data.cold_hashes, ", "));
  }

  void raw_frame(u32 number) {
    const auto& frame = profile_.frames[number];
    auto name = profile_.names.find(frame.function);
    add("      -\n        Function: {}\n        SymbolName: {}\n        LineOffset: {}\n"
        "        Column: {}\n        Inline: {:d}\n",
        frame.function, name == profile_.names.end() ? "<None>" : name->second, frame.line,
        frame.column, frame.inlined);
  }

  void raw_record(u32 record) {
    add("  -\n    FunctionGUID: {}\n", profile_.functions[record]);
    auto allocs = by_record_.allocs(record);
    if (!allocs.empty()) add("    AllocSites:\n");
    for (const auto& alloc : allocs) {
      add("    -\n      Callstack:\n");
      profile_.stacks.each_frame(alloc.stack, [&](u32 frame) { raw_frame(frame); });
      add("      MemInfoBlock:\n");
      for (u32 field = 1; field <= memory_fields; ++field)
        add("        {}: {}\n", memory_field(field).name, profile_.value(alloc.block, field));
      if (const auto& histogram = profile_.histograms[alloc.block]; !histogram.empty())
        add("        AccessHistogramValues: {}\n", fmt::join(histogram, " "));
    }
    auto sites = by_record_.call_sites(record);
    if (!sites.empty()) add("    CallSites:\n");
    for (const auto& site : sites)
      profile_.stacks.each_frame(site.stack, [&](u32 frame) {
        add("    -\n");
        raw_frame(frame);
      });
  }

  const MemoryProfile& profile_;
  const report::TakeText& take_;
  ByRecord by_record_;
  std::string text_;
};

}  // namespace

Status dump_memory(const MemoryProfile& profile, const report::TakeText& take) {
  std::optional<AccessedData> data;
  if (!profile.accessed_data.empty())
    data = TRY(instr_profile::read_accessed_data(as_bytes(profile.accessed_data)));
  Printer printer(profile, take);
  printer.summary(data ? &*data : nullptr);
  printer.yaml(data ? &*data : nullptr);
  return {};
}

void dump_raw_memory(const RawMemory& raw, const MemoryProfile& profile,
                     const report::TakeText& take) {
  Printer printer(profile, take);
  printer.summary(nullptr);
  printer.raw(raw);
}

}  // namespace pgokit::cli
