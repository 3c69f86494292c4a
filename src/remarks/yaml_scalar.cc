#include "remarks/yaml_scalar.h"

#include <array>

namespace pgokit::remarks {
namespace {

std::optional<Scalar> read_quoted(std::string_view line, ScalarTexts& texts) {
  size_t quote = line.find('\'', 1);
  if (quote == line.npos) return {};
  if (quote + 1 >= line.size() || line[quote + 1] != '\'')
    return Scalar{line.substr(1, quote - 1), quote + 1};
  auto& text = texts.next();
  for (size_t begin = 1;;) {
    text += line.substr(begin, quote - begin);
    if (quote + 1 >= line.size() || line[quote + 1] != '\'') return Scalar{text, quote + 1};
    text += '\'';
    begin = quote + 2;
    quote = line.find('\'', begin);
    if (quote == line.npos) return {};
  }
}

void put_utf8(u32 character, std::string& text) {
  auto put = [&](u32 byte) { text += static_cast<char>(byte); };
  if (character < 0x80) return put(character);
  if (character < 0x800) {
    put(0xc0 | character >> 6);
  } else {
    if (character < 0x10000) {
      put(0xe0 | character >> 12);
    } else {
      put(0xf0 | (character >> 18 & 7));
      put(0x80 | (character >> 12 & 0x3f));
    }
    put(0x80 | (character >> 6 & 0x3f));
  }
  put(0x80 | (character & 0x3f));
}

std::optional<u32> hexadecimal(std::string_view digits) {
  u32 value = 0;
  for (char c : digits) {
    u32 digit = c >= '0' && c <= '9'   ? static_cast<u32>(c - '0')
                : c >= 'a' && c <= 'f' ? static_cast<u32>(c - 'a' + 10)
                : c >= 'A' && c <= 'F' ? static_cast<u32>(c - 'A' + 10)
                                       : 16;
    if (digit == 16) return {};
    value = value << 4 | digit;
  }
  return value;
}

struct Escape {
  char letter;
  u32 character;
};
constexpr auto escapes = std::to_array<Escape>({{'0', 0},
                                                {'a', 7},
                                                {'b', 8},
                                                {'t', 9},
                                                {'n', 10},
                                                {'v', 11},
                                                {'f', 12},
                                                {'r', 13},
                                                {'e', 27},
                                                {' ', ' '},
                                                {'"', '"'},
                                                {'/', '/'},
                                                {'\\', '\\'},
                                                {'N', 0x85},
                                                {'_', 0xa0},
                                                {'L', 0x2028},
                                                {'P', 0x2029}});

// Of the characters after a backslash: how many it takes; 0: it is none.
size_t read_escape(std::string_view rest, std::string& text) {
  if (rest.empty()) return 0;
  for (const auto& [letter, character] : escapes)
    if (rest[0] == letter) return put_utf8(character, text), 1;
  size_t digits = rest[0] == 'x' ? 2 : rest[0] == 'u' ? 4 : rest[0] == 'U' ? 8 : 0;
  if (digits == 0 || rest.size() < 1 + digits) return 0;
  auto character = hexadecimal(rest.substr(1, digits));
  constexpr u32 last_character = 0x10ffff;
  if (!character || *character > last_character) return 0;
  put_utf8(*character, text);
  return 1 + digits;
}

std::optional<Scalar> read_escaped(std::string_view line, ScalarTexts& texts) {
  size_t stop = line.find_first_of("\"\\", 1);
  if (stop == line.npos) return {};
  if (line[stop] == '"') return Scalar{line.substr(1, stop - 1), stop + 1};
  auto& text = texts.next();
  for (size_t begin = 1;;) {
    text += line.substr(begin, stop - begin);
    if (line[stop] == '"') return Scalar{text, stop + 1};
    size_t taken = read_escape(line.substr(stop + 1), text);
    if (taken == 0) return {};
    begin = stop + 1 + taken;
    stop = line.find_first_of("\"\\", begin);
    if (stop == line.npos) return {};
  }
}

}  // namespace

std::optional<Scalar> read_scalar(std::string_view line, std::string_view ends,
                                  ScalarTexts& texts) {
  if (line.starts_with('\'')) return read_quoted(line, texts);
  if (line.starts_with('"')) return read_escaped(line, texts);
  size_t size = ends.empty() ? line.size() : std::min(line.find_first_of(ends), line.size());
  auto value = line.substr(0, size);
  value = value.substr(0, value.find_last_not_of(" \r") + 1);
  return Scalar{value, size};
}

}  // namespace pgokit::remarks
