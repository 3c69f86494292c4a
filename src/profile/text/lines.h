#pragma once

// The lines of a text profile, each by itself; how they follow each other is the readers' matter.
// They are told apart as llvm-profdata does: a head has no leading space, its last two fields are
// numbers and its name may hold anything; the depth of other lines is their number of leading
// spaces; names of call targets end at the first ":number" that a space or the line's end follows.
//
//   auto line = parse_samples("3.1: 7 f:5 g:2");
//   for (NamedCount target; !line->rest.empty();)
//     if (!take_name_count(line->rest, target)) break;  // a wrong line

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/parse_number.h"
#include "profile/model/function_samples.h"

namespace pgokit::profile {

inline void skip_spaces(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}

// "name:number" at the end of `text`; the name stays.
inline bool take_last_number(std::string_view& text, u64& value) {
  size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return false;
  auto digits = text.substr(colon + 1);
  if (!take_number(digits, value) || !digits.empty()) return false;
  text = text.substr(0, colon);
  return true;
}

struct HeadLine {
  std::string_view name;
  u64 total = 0, head = 0;
};

inline std::optional<HeadLine> parse_head(std::string_view line) {
  HeadLine head{line};
  if (line.starts_with(' ') || !take_last_number(head.name, head.head) ||
      !take_last_number(head.name, head.total))
    return std::nullopt;
  return head;
}

// "line" or "line.discriminator"; a line alone is up to `largest`: of samples it has 16 bits.
inline bool take_location(std::string_view& text, LineLocation& location,
                          u32 largest = largest_line) {
  if (!take_number(text, location.line_offset)) return false;
  if (!text.starts_with('.')) return location.line_offset <= largest;
  text.remove_prefix(1);
  return take_number(text, location.discriminator);
}

struct NamedCount {
  std::string_view name;
  u64 count = 0;
};

// Takes "name:count" and spaces from the front of `text`; false if there is none.
inline bool take_name_count(std::string_view& text, NamedCount& into) {
  for (size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    auto rest = text.substr(colon + 1);
    if (!take_number(rest, into.count) || (!rest.empty() && rest[0] != ' ')) continue;
    into.name = text.substr(0, colon);
    skip_spaces(rest);
    text = rest;
    return !into.name.empty();
  }
  return false;
}

struct SamplesLine {
  enum class Kind { body, vtables, inlinee };

  Kind kind{};
  LineLocation location;
  u64 count = 0;          // of a body's place; of an inlinee in all
  std::string_view rest;  // the NameCounts of a place or of virtual tables, or the inlinee's name
};

// "place: count name:count...", "place: vtables name:count...", "place: name:total".
inline std::optional<SamplesLine> parse_samples(std::string_view text) {
  using enum SamplesLine::Kind;
  constexpr std::string_view of_vtables = "vtables ";
  SamplesLine line;
  if (!take_location(text, line.location) || !text.starts_with(':') || text.size() <= 2)
    return std::nullopt;
  line.rest = text.substr(2);
  if (line.rest[0] >= '0' && line.rest[0] <= '9') {
    line.kind = body;
    if (!take_number(line.rest, line.count)) return std::nullopt;
    if (!line.rest.empty() && line.rest[0] != ' ') return std::nullopt;
    skip_spaces(line.rest);
  } else if (line.rest.starts_with(of_vtables)) {
    line.kind = vtables;
    line.rest.remove_prefix(of_vtables.size());
  } else {
    line.kind = inlinee;
    if (!take_last_number(line.rest, line.count)) return std::nullopt;
  }
  return line;
}

struct MetadataLine {
  enum class Kind { flat, checksum, attributes };

  Kind kind{};
  u64 value = 0;
};

// From its "!" on.
inline std::optional<MetadataLine> parse_metadata(std::string_view text) {
  using enum MetadataLine::Kind;
  size_t end = text.find_last_not_of(' ') + 1;
  text = text.substr(0, end);
  if (text == "!Flat") return MetadataLine{flat};
  std::string_view name = text.substr(0, text.find(':'));
  u64 value = 0;
  text.remove_prefix(std::min(name.size() + 1, text.size()));
  skip_spaces(text);
  if (!take_number(text, value) || !text.empty()) return std::nullopt;
  if (name == "!CFGChecksum") return MetadataLine{checksum, value};
  if (name == "!Attributes" && value <= ~u32{0}) return MetadataLine{attributes, value};
  return std::nullopt;
}

}  // namespace pgokit::profile
