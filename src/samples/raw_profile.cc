#include "samples/raw_profile.h"

#include <iterator>

#include "samples/raw_lines.h"

namespace pgokit::samples {

std::string write_raw_profile(const Counts& counts, BinaryAddr base) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{}\n", counts.ranges.size());
  for (const auto& r : counts.ranges)
    fmt::format_to(out, "{:x}-{:x}:{}\n", r.start.value - base.value, r.last.value - base.value,
                   r.count);
  fmt::format_to(out, "{}\n", counts.branches.size());
  for (const auto& b : counts.branches)
    fmt::format_to(out, "{:x}->{:x}:{}\n", b.from.value - base.value, b.to.value - base.value,
                   b.count);
  return text;
}

bool looks_like_raw_profile(std::string_view text) {
  RawLines lines(text);
  if (!lines.at_end() && lines.current().starts_with('[')) lines.advance();
  u64 number = 0;
  if (lines.at_end() || !parse_number(lines.trimmed(), number)) return false;
  lines.advance();
  if (number == 0) return !lines.at_end() && parse_number(lines.trimmed(), number);
  std::string one_entry = fmt::format("1\n{}\n", lines.at_end() ? "" : lines.current());
  RawLines block(one_entry);
  return read_raw_block(block, "-", [](u64, u64, u64) {}).has_value();
}

Result<Counts> read_raw_profile(std::string_view text, BinaryAddr base) {
  Counts counts;
  RawLines lines(text);
  if (lines.at_end()) return lines.broken();
  while (!lines.at_end()) {
    if (lines.current().starts_with('['))
      return fail("a context-sensitive raw profile, where a flat one is wanted");
    TRY(read_raw_block(lines, "-", [&](u64 start, u64 last, u64 count) {
      counts.ranges.push_back({{start + base.value}, {last + base.value}, count});
    }));
    TRY(read_raw_block(lines, "->", [&](u64 from, u64 to, u64 count) {
      counts.branches.push_back({{from + base.value}, {to + base.value}, count});
    }));
  }
  normalize(counts);
  return counts;
}

}  // namespace pgokit::samples
