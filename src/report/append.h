#pragma once

// Numbers at the end of a text, for listings of hundred thousands of lines, where half of the time
// went into what fmt does for widths.
//
//   append_hex(line, address, 8);        // "    18f0"

#include <charconv>
#include <string>

#include "base/types.h"

namespace pgokit::report {

inline void append_number(std::string& text, u64 number, int base, size_t width) {
  char digits[20];
  auto size =
      static_cast<size_t>(std::to_chars(digits, std::end(digits), number, base).ptr - digits);
  if (size < width) text.append(width - size, ' ');
  text.append(digits, size);
}

// Padded with blanks in front up to `width`.
inline void append_decimal(std::string& text, u64 number, size_t width = 0) {
  append_number(text, number, 10, width);
}
inline void append_hex(std::string& text, u64 number, size_t width = 0) {
  append_number(text, number, 16, width);
}

}  // namespace pgokit::report
