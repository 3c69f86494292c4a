#pragma once

// The lines of perf script text: addresses in hexadecimal and branch stacks. The inner loop of
// script.h, which is what others use.

#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/types.h"

namespace pgokit::perf::script_detail {

inline constexpr u8 no_digit = 0xff;
constexpr std::array<u8, 256> make_hex_digits() {
  std::array<u8, 256> table{};
  for (auto& digit : table) digit = no_digit;
  for (u8 i = 0; i < 10; ++i) table['0' + i] = i;
  for (u8 i = 0; i < 6; ++i) table['a' + i] = table['A' + i] = static_cast<u8>(10 + i);
  return table;
}
inline constexpr auto hex_digits = make_hex_digits();

inline u8 hex_digit(char c) { return hex_digits[static_cast<u8>(c)]; }

// All of `text` as a number without prefix; false if it is none or has more than 64 bits.
inline bool parse_hex(std::string_view text, u64& value) {
  if (text.empty()) return false;
  u64 sum = 0;
  for (char c : text) {
    u8 digit = hex_digit(c);
    if (digit == no_digit || sum >> 60) return false;
    sum = sum << 4 | digit;
  }
  value = sum;
  return true;
}

bool parse_decimal(std::string_view text, u64& value);

inline std::string_view trim_left(std::string_view line) {
  size_t first = line.find_first_not_of(" \t\n\v\f\r");
  return first == line.npos ? std::string_view{} : line.substr(first);
}

// One address of a branch: its first two characters do not matter, then digits up to `at`, which
// is left on what follows them.
inline bool take_address(const char*& at, const char* end, u64& value) {
  if (end - at < 3) return false;
  // A separator among the first two makes the address too short.
  if (at[0] == '/' || at[1] == '/') return false;
  at += 2;
  const char* first = at;
  u64 sum = 0;
  while (at != end) {
    u8 digit = hex_digit(*at);
    if (digit == no_digit) break;
    if (sum >> 60) return false;
    sum = sum << 4 | digit;
    ++at;
  }
  value = sum;
  return at != first;
}

// How many of the 8 characters are lower-case hexadecimal digits before the first that is none.
inline unsigned digits_in(u64 text) {
  constexpr u64 each = 0x0101010101010101, high = each * 0x80;
  u64 ascii = text & ~high;
  auto at_least = [&](u64 c) { return ascii + each * (0x80 - c); };
  u64 digit = at_least('0') & ~at_least('9' + 1), letter = at_least('a') & ~at_least('f' + 1);
  u64 other = ~((digit | letter) & ~text) & high;
  return static_cast<unsigned>(std::countr_zero(other)) / 8;
}

// 8 characters, digits or zero bytes, as a number; the first is the highest digit.
inline u64 value_of_digits(u64 text) {
  constexpr u64 each = 0x0101010101010101;
  u64 digits = (text & each * 0x0f) + 9 * (text >> 6 & each);
  u64 bytes = digits * 0x1001 >> 8 & 0x00ff00ff00ff00ff;
  u64 pairs = bytes * 0x01000001 >> 16 & 0x0000ffff0000ffff;
  return (pairs << 16 | pairs >> 32) & 0xffffffff;
}

// The common form of an address, 0x and 1 to 15 digits, where 18 bytes can be read. False: not so.
// `at` is left on the character behind the digits. This one is for machines without SSE2.
inline bool take_common_address_portably(const char*& at, u64& value) {
  u64 first, second;
  std::memcpy(&first, at + 2, 8);
  std::memcpy(&second, at + 10, 8);
  if (at[0] != '0' || at[1] != 'x') return false;
  unsigned count = digits_in(first);
  if (count == 8) {
    unsigned more = digits_in(second);
    if (more == 8) return false;
    u64 low = more ? value_of_digits(second << (64 - 8 * more)) : 0;
    value = value_of_digits(first) << 4 * more | low;
    count += more;
  } else {
    if (count == 0) return false;
    value = value_of_digits(first << (64 - 8 * count));
  }
  at += 2 + count;
  return true;
}

#ifdef __SSE2__

// The same, of up to 16 digits.
[[gnu::always_inline]] inline bool take_common_address(const char*& at, u64& value) {
  if (at[0] != '0' || at[1] != 'x') return false;
  __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 2));
  auto between = [&](char first, char last) {  // bytes of 0x80 and above are negative
    return _mm_and_si128(_mm_cmpgt_epi8(text, _mm_set1_epi8(static_cast<char>(first - 1))),
                         _mm_cmplt_epi8(text, _mm_set1_epi8(static_cast<char>(last + 1))));
  };
  __m128i letters = between('a', 'f');
  auto digits = static_cast<u32>(_mm_movemask_epi8(_mm_or_si128(letters, between('0', '9'))));
  int count = std::countr_one(digits);
  if (count == 0) return false;
  __m128i nibbles = _mm_add_epi8(_mm_and_si128(text, _mm_set1_epi8(0x0f)),
                                 _mm_and_si128(letters, _mm_set1_epi8(9)));
  // Two to a byte: in each 16 bits the lower byte is the higher digit.
  __m128i higher = _mm_and_si128(_mm_slli_epi16(nibbles, 4), _mm_set1_epi16(0xf0));
  __m128i lower = _mm_and_si128(_mm_srli_epi16(nibbles, 8), _mm_set1_epi16(0x0f));
  __m128i bytes = _mm_packus_epi16(_mm_or_si128(higher, lower), _mm_setzero_si128());
  value = std::byteswap(static_cast<u64>(_mm_cvtsi128_si64(bytes))) >> (64 - 4 * count);
  at += 2 + count;
  return true;
}

// Goes to the next space, or to the end.
[[gnu::always_inline]] inline void skip_to_space(const char*& at, const char* end) {
  for (; end - at >= 16; at += 16) {
    __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    auto spaces = static_cast<u32>(_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8(' '))));
    if (spaces) return void(at += std::countr_zero(spaces));
  }
  while (at != end && *at != ' ') ++at;
}

#else

inline bool take_common_address(const char*& at, u64& value) {
  return take_common_address_portably(at, value);
}

inline void skip_to_space(const char*& at, const char* end) {
  while (at != end && *at != ' ') ++at;
}

#endif

// A branch in the common form, "0xFROM/0xTO/P/-/-/0 ", up to the slash behind TO, where `span`
// bytes can be read: 3x faster than character by character.
inline constexpr std::ptrdiff_t common_branch_span = 40;
inline bool take_common_branch(const char*& at, u64& from, u64& to) {
  const char* next = at;
  if (!take_common_address(next, from) || *next != '/') return false;
  ++next;
  if (!take_common_address(next, to) || *next != '/') return false;
  at = next;
  return true;
}

// "0xFROM/0xTO" and anything behind a further slash, which `at` is left on.
inline bool take_branch(const char*& at, const char* end, u64& from, u64& to) {
  if (!take_address(at, end, from) || at == end || *at != '/') return false;
  ++at;
  return take_address(at, end, to) && (at == end || *at == '/');
}

// "/PN" and "/MN": perf's mark of a branch that was not taken.
inline bool is_marked_not_taken(const char* slash, const char* end) {
  return end - slash > 2 && slash[2] == 'N';
}

template <class Sink>
void pass_branch(Sink& sink, u64 from, u64 to, bool not_taken) {
  if constexpr (requires { sink.branch_not_taken(from, to); }) {
    if (not_taken) [[unlikely]]
      return sink.branch_not_taken(from, to);
  }
  sink.branch(from, to);
}

template <class Sink>
bool parse_branch_line(std::string_view line, Sink& sink) {
  size_t last = line.find_last_not_of(" \t\n\v\f\r");
  if (last == line.npos) return true;
  const char* at = line.data();
  const char* end = at + last + 1;
  for (bool first = true; at != end; first = false) {
    while (*at == ' ') ++at;  // the last character is not a space
    u64 from, to;
    if (end - at >= common_branch_span && take_common_branch(at, from, to)) [[likely]] {
      pass_branch(sink, from, to, is_marked_not_taken(at, end));
      skip_to_space(at, end);
      continue;
    }
    const void* space = std::memchr(at, ' ', static_cast<size_t>(end - at));
    const char* stop = space ? static_cast<const char*>(space) : end;
    std::string_view token(at, static_cast<size_t>(stop - at));
    if (take_branch(at, stop, from, to)) [[likely]] {
      pass_branch(sink, from, to, is_marked_not_taken(at, stop));
      at = stop;
      continue;
    }
    at = stop;
    if (!first || token.find('/') != token.npos || !parse_hex(token, from)) return false;
  }
  return true;
}

inline bool is_branch_line(std::string_view line) { return line.starts_with(" 0x"); }

}  // namespace pgokit::perf::script_detail
