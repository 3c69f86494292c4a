#include "instr_profile/text/write_text.h"

#include <algorithm>

#include "instr_profile/model/in_order.h"
#include "instr_profile/text/read_text.h"

namespace pgokit::instr_profile {
namespace {

constexpr std::string_view kind_names[value_kinds] = {"IPVK_IndirectCallTarget", "IPVK_MemOPSize",
                                                      "IPVK_VTableTarget"};

void write_flags(u64 kind, report::TextBuffer& out) {
  if (kind & Kind::context_sensitive)
    out.text("# CSIR level Instrumentation Flag\n:csir\n");
  else if (kind & Kind::ir)
    out.text("# IR level Instrumentation Flag\n:ir\n");
  if (kind & Kind::entry_first)
    out.text("# Always instrument the function entry block\n:entry_first\n");
  if (kind & Kind::loop_entries)
    out.text("# Always instrument the loop entry blocks\n:instrument_loop_entries\n");
  if (kind & Kind::byte_coverage) out.text("# Instrument block coverage\n:single_byte_coverage\n");
}

void write_traces(const Profile& profile, const NameIndex& names, report::TextBuffer& out) {
  out.text(":temporal_prof_traces\n# Num Temporal Profile Traces:\n");
  out.decimal(profile.traces.size());
  out.text("\n# Temporal Profile Trace Stream Size:\n");
  out.decimal(profile.traces_seen);
  out.text('\n');
  for (const auto& trace : profile.traces) {
    out.text("# Weight:\n");
    out.decimal(trace.weight);
    out.text('\n');
    for (u64 function : trace.functions) out.text(names.find(function)), out.text(',');
    out.text('\n');
  }
  out.text('\n');
}

void write_values(const SiteValues& values, const NameIndex& names, report::TextBuffer& out) {
  out.text("# Num Value Kinds:\n");
  out.decimal(values.kinds());
  out.text('\n');
  size_t last = value_kinds;
  values.each_site([&](ValueKind kind, std::span<const ValueCount> site) {
    auto k = static_cast<size_t>(kind);
    if (k != last) {
      out.text("# ValueKind = "), out.text(kind_names[k]), out.text(":\n");
      out.decimal(k);
      out.text("\n# NumValueSites:\n");
      out.decimal(values.sites[k]);
      out.text('\n');
      last = k;
    }
    out.decimal(site.size());
    out.text('\n');
    for (auto [value, count] : site) {
      auto name = kind == ValueKind::memop_size ? std::string_view() : names.find(value);
      if (kind == ValueKind::memop_size)
        out.decimal(value);
      else
        out.text(name.empty() ? external_symbol : name);
      out.text(':');
      out.decimal(count);
      out.text('\n');
    }
  });
}

}  // namespace

void write_record(const Record& record, const NameIndex& names, report::TextBuffer& out) {
  out.text(record.name);
  out.text("\n# Func Hash:\n");
  out.decimal(record.hash);
  out.text("\n# Num Counters:\n");
  out.decimal(record.counters.size());
  out.text("\n# Counter Values:\n");
  for (u64 count : record.counters) out.decimal(count), out.text('\n');
  if (!record.bitmap.empty()) {
    out.text("# Num Bitmap Bytes:\n$");
    out.decimal(record.bitmap.size());
    out.text("\n# Bitmap Byte Values:\n");
    for (u8 byte : record.bitmap) {
      constexpr const char* digits = "0123456789abcdef";
      out.text("0x");
      if (byte >= 16) out.text(digits[byte >> 4]);
      out.text(digits[byte & 15]);
      out.text('\n');
    }
    out.text('\n');
  }
  if (record.values) write_values(*record.values, names, out);
  out.text('\n');
}

void write_text(const Profile& profile, bool sparse, const report::TakeText& take) {
  report::TextBuffer out(take);
  auto order = in_order(profile, sparse);
  // Values and traces find what is written, nothing else.
  NameIndex names;
  bool looks_up = !profile.values.empty() || !profile.traces.empty();
  NameId last{nothing};
  for (u32 i : order) {
    auto name = profile.functions[i].name;
    if (looks_up && name != last) names.add(profile.names.text(name));
    last = name;
  }
  write_flags(profile.kind, out);
  if (profile.kind & Kind::temporal) write_traces(profile, names, out);
  for (u32 i : order) write_record(profile.record(i), names, out);
  out.flush();
}

}  // namespace pgokit::instr_profile
