#include "probe/directive.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assembly/statements.h"
#include "base/parse_number.h"

namespace pgokit::probe {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool parse_unsigned(std::string_view text, u64& value) {
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    base = text[1] == 'x' || text[1] == 'X' ? 16 : text[1] == 'b' || text[1] == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  return parse_number(text, value, base);
}

// Takes blanks and comments off the front.
void skip_blanks(std::string_view& rest) {
  while (!rest.empty()) {
    if (is_blank(rest.front())) {
      rest.remove_prefix(1);
    } else if (rest.starts_with("/*")) {
      rest.remove_prefix(std::min(rest.find("*/", 2), rest.size() - 2) + 2);
    } else {
      return;
    }
  }
}

bool starts_number(std::string_view& rest) {
  skip_blanks(rest);
  return !rest.empty() && (is_digit(rest.front()) || rest.front() == '-' || rest.front() == '+');
}

std::string_view take_number(std::string_view& rest) {
  size_t n = starts_number(rest) ? 1 : 0;
  auto is_part = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  while (n > 0 && n < rest.size() && is_part(rest[n])) ++n;
  std::string_view number = rest.substr(0, n);
  rest.remove_prefix(n);
  return number;
}

Status read_number(std::string_view& rest, std::string_view what, u64 limit, u64& value) {
  skip_blanks(rest);
  std::string_view number = rest.empty() ? rest : take_number(rest);
  if (number.empty() && rest.empty()) return fail("{} is missing", what);
  if (number.empty()) return fail("{} is not a number", what);
  if (!parse_unsigned(number, value))
    return fail("{} '{}' is not an unsigned number", what, number);
  if (value > limit) return fail("{} {} is too large, the limit is {}", what, number, limit);
  return {};
}

constexpr u64 max_u32 = std::numeric_limits<u32>::max();

Status read_call_sites(std::string_view& rest, std::vector<CallSite>& out) {
  out.clear();
  for (skip_blanks(rest); rest.starts_with('@'); skip_blanks(rest)) {
    rest.remove_prefix(1);
    u64 function = 0, call_site = 0;
    TRY(read_number(rest, "the function of an inlined call", ~u64{0}, function));
    skip_blanks(rest);
    if (!rest.starts_with(':')) return fail("an inlined call has no ':'");
    rest.remove_prefix(1);
    TRY(read_number(rest, "the number of an inlined call", max_u32, call_site));
    if (function == 0) return fail("the function of an inlined call is 0, which is no function");
    out.push_back({function, static_cast<u32>(call_site)});
  }
  return {};
}

Status read_symbol(std::string_view rest, std::string_view& symbol) {
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  symbol = {};
  if (rest.empty()) return {};
  bool quoted = rest.size() > 2 && rest.front() == '"' && rest.back() == '"';
  bool plain = !is_digit(rest.front()) && std::ranges::all_of(rest, assembly::is_word);
  if (!quoted && !plain) return fail("'{}' is not the symbol of a function", rest);
  symbol = rest;
  return {};
}

}  // namespace

bool parse_integer(std::string_view text, u64& value) {
  bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!parse_unsigned(text, value)) return false;
  if (negative) value = -value;
  return true;
}

Status parse_directive(std::string_view operands, Directive& out) {
  u64 index = 0, type = 0, attributes = 0, discriminator = 0;
  TRY(read_number(operands, "the function", ~u64{0}, out.function));
  TRY(read_number(operands, "the index", max_u32, index));
  TRY(read_number(operands, "the type", 15, type));
  if (starts_number(operands)) TRY(read_number(operands, "the attribute set", 7, attributes));
  // clang prints what is not 0, and its encoder sets the attribute then; its assembler wants it
  // set.
  if (starts_number(operands) || (attributes & discriminator_attribute))
    TRY(read_number(operands, "the discriminator", max_u32, discriminator));
  if (discriminator != 0) attributes |= discriminator_attribute;
  if (attributes & sentinel_attribute)
    return fail("attribute {} marks a sentinel, which is not for directives", sentinel_attribute);
  if (out.function == 0) return fail("the function is 0, which is no function");
  out.probe = {static_cast<u32>(index), static_cast<Type>(type), static_cast<u8>(attributes),
               static_cast<u32>(discriminator), 0};
  TRY(read_call_sites(operands, out.inlined_by));
  return read_symbol(operands, out.symbol);
}

void print_directive(const Directive& one, std::string& out) {
  const auto& probe = one.probe;
  auto append = [&](std::string_view before, u64 number) {
    out.append(before).append(fmt::format_int(number).c_str());
  };
  append("\t.pseudoprobe\t", one.function);
  append(" ", probe.index);
  append(" ", static_cast<u8>(probe.type));
  append(" ", probe.attributes);
  if (probe.attributes & discriminator_attribute) append(" ", probe.discriminator);
  for (const auto& call : one.inlined_by) append(" @ ", call.function), append(":", call.call_site);
  if (!one.symbol.empty()) out.append(" ").append(one.symbol);
}

}  // namespace pgokit::probe
