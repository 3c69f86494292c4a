#include "samples/raw_profile.h"

#include <charconv>
#include <iterator>

namespace pgokit::samples {
namespace {

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) { advance(); }

  bool at_end() const { return at_end_; }
  std::string_view current() const { return line_; }
  std::string_view trimmed() const {
    size_t start = line_.find_first_not_of(" \t\n\v\f\r");
    return start == line_.npos ? std::string_view{} : line_.substr(start);
  }
  void advance() {
    at_end_ = rest_.empty();
    if (at_end_) return;
    size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++number_;
  }
  std::unexpected<Error> broken() const {
    if (at_end_) return fail("Invalid raw profile!");
    return fail("Invalid raw profile at line {}: {}", number_, line_);
  }

 private:
  std::string_view rest_, line_;
  u64 number_ = 0;
  bool at_end_ = false;
};

bool parse(std::string_view text, int base, u64& value) {
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc{} && stop == end && !text.empty();
}

// One block of "A<separator>B:count" lines behind their number.
template <class Add>
Status read_block(Lines& lines, std::string_view separator, Add add) {
  u64 number = 0;
  if (lines.at_end() || !parse(lines.trimmed(), 10, number)) return lines.broken();
  lines.advance();
  for (; number > 0; --number, lines.advance()) {
    if (lines.at_end()) return lines.broken();
    std::string_view line = lines.trimmed();
    size_t colon = line.find(':'), middle = line.substr(0, colon).find(separator);
    u64 first, second, count;
    if (colon == line.npos || middle == line.npos || !parse(line.substr(colon + 1), 10, count) ||
        !parse(line.substr(0, middle), 16, first) ||
        !parse(line.substr(0, colon).substr(middle + separator.size()), 16, second))
      return lines.broken();
    add(first, second, count);
  }
  return {};
}

}  // namespace

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
  Lines lines(text);
  if (!lines.at_end() && lines.current().starts_with('[')) lines.advance();
  u64 number = 0;
  if (lines.at_end() || !parse(lines.trimmed(), 10, number)) return false;
  lines.advance();
  if (number == 0) return !lines.at_end() && parse(lines.trimmed(), 10, number);
  std::string one_entry = fmt::format("1\n{}\n", lines.at_end() ? "" : lines.current());
  Lines block(one_entry);
  return read_block(block, "-", [](u64, u64, u64) {}).has_value();
}

Result<Counts> read_raw_profile(std::string_view text, BinaryAddr base) {
  Counts counts;
  Lines lines(text);
  if (lines.at_end()) return lines.broken();
  while (!lines.at_end()) {
    if (lines.current().starts_with('['))
      return fail("a context-sensitive raw profile: only flat ones can be read so far");
    TRY(read_block(lines, "-", [&](u64 start, u64 last, u64 count) {
      counts.ranges.push_back({{start + base.value}, {last + base.value}, count});
    }));
    TRY(read_block(lines, "->", [&](u64 from, u64 to, u64 count) {
      counts.branches.push_back({{from + base.value}, {to + base.value}, count});
    }));
  }
  normalize(counts);
  return counts;
}

}  // namespace pgokit::samples
