#pragma once

// The lines of raw profiles, for their readers: flat (samples/raw_profile.h) and in calling
// contexts (unwind/contexts/raw_contexts.h).
//
//   RawLines lines(text);
//   TRY(read_raw_block(lines, "-", [&](u64 first, u64 last, u64 count) { ... }));

#include <string_view>

#include "base/parse_number.h"
#include "base/result.h"
#include "base/types.h"

namespace pgokit::samples {

class RawLines {
 public:
  explicit RawLines(std::string_view text) : rest_(text) { advance(); }

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
    if (at_end_) return fail("Invalid raw profile! It ends with line {}", number_);
    return fail("Invalid raw profile at line {}: {}", number_, line_);
  }

 private:
  std::string_view rest_, line_;
  u64 number_ = 0;
  bool at_end_ = false;
};

// One block of "A<separator>B:count" lines behind their number.
template <class Add>
Status read_raw_block(RawLines& lines, std::string_view separator, Add add) {
  u64 number = 0;
  if (lines.at_end() || !parse_number(lines.trimmed(), number)) return lines.broken();
  lines.advance();
  for (; number > 0; --number, lines.advance()) {
    if (lines.at_end()) return lines.broken();
    std::string_view line = lines.trimmed();
    size_t colon = line.find(':'), middle = line.substr(0, colon).find(separator);
    u64 first, second, count;
    if (colon == line.npos || middle == line.npos || !parse_number(line.substr(colon + 1), count) ||
        !parse_number(line.substr(0, middle), first, 16) ||
        !parse_number(line.substr(0, colon).substr(middle + separator.size()), second, 16))
      return lines.broken();
    add(first, second, count);
  }
  return {};
}

}  // namespace pgokit::samples
