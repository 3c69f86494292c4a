#pragma once

// Numbers in text: digits only, no blanks, no prefix, and nothing larger than fits.
//
//   bool good = parse_number(line, address, 16);     // all of `line`
//   bool found = take_number(line, count);           // off the front of it
//
// perf/script_text.h has its own, for text where most of the time goes into addresses.

#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <string_view>

#include "base/types.h"

namespace pgokit {

// False: `text` and `value` stay as they are.
template <class Number>
bool take_number(std::string_view& text, Number& value, int base) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// One pass over the digits, as lines of text profiles are little else.
template <std::unsigned_integral Number>
bool take_number(std::string_view& text, Number& value) {
  constexpr size_t always_fit = std::numeric_limits<u64>::digits10;
  u64 number = 0;
  size_t n = 0;
  for (size_t last = std::min(text.size(), always_fit); n < last; ++n) {
    auto digit = static_cast<u8>(text[n] - '0');
    if (digit > 9) break;
    number = 10 * number + digit;
  }
  if (n == always_fit) return take_number(text, value, 10);
  if (n == 0 || number > std::numeric_limits<Number>::max()) return false;
  value = static_cast<Number>(number);
  text.remove_prefix(n);
  return true;
}

template <std::unsigned_integral Number>
bool parse_number(std::string_view text, Number& value) {
  return take_number(text, value) && text.empty();
}

template <class Number>
bool parse_number(std::string_view text, Number& value, int base) {
  return take_number(text, value, base) && text.empty();
}

}  // namespace pgokit
