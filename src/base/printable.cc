#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/types.h"

namespace pgokit {
namespace {

struct Character {
  char32_t code = 0;
  size_t size = 0;  // in bytes; 0: no UTF-8 begins here
};

// Text is not empty. Overlong forms, surrogates and what is past U+10FFFF are no UTF-8.
Character first_character(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<u8>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return {};
  char32_t code = byte(0) & (0x7f >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (overlong || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return {};
  return {code, size};
}

bool turns_text(char32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool is_shown(char32_t code) {
  return code >= 0x20 && (code < 0x7f || code >= 0xa0) && !turns_text(code);
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

enum class Form { text, line, json };

std::string escaped(std::string_view text, Form form) {
  std::string result;
  while (!text.empty()) {
    auto plain = static_cast<size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    result.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    auto character = first_character(text);
    auto size = std::max<size_t>(character.size, 1);
    if (character.size && is_shown(character.code)) {
      result.append(text.substr(0, size));
    } else if (text[0] == '\n' || text[0] == '\t') {
      result += form != Form::line ? text.substr(0, 1) : text[0] == '\n' ? "\\n" : "\\t";
    } else if (form == Form::json && character.size) {
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", static_cast<u32>(character.code));
    } else {
      for (char c : text.substr(0, size))
        fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<u8>(c));
    }
    text.remove_prefix(size);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, Form::text); }
std::string printable_line(std::string_view text) { return escaped(text, Form::line); }
bool fits_in_line(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return static_cast<u8>(c) < 0x20 || c == 0x7f; });
}

std::string printable_json(std::string_view json) { return escaped(json, Form::json); }

}  // namespace pgokit
