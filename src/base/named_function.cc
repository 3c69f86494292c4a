#include "base/named_function.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/demangle.h"
#include "base/edit_distance.h"
#include "base/function_name.h"

namespace pgokit {
namespace {

constexpr size_t most_shown = 5;

// Where `visit` says so, of the characters outside of all brackets.
template <class Visit>
size_t find_outside(std::string_view text, Visit visit) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string_view rest = text.substr(i);
    constexpr std::string_view unnamed = "(anonymous namespace)", op = "operator";
    if (rest.starts_with(unnamed)) {
      i += unnamed.size() - 1;
      continue;
    }
    if (depth == 0 && rest.starts_with(op)) {  // its signs are no brackets
      i += op.size();
      while (i < text.size() && std::string_view("()<>[]=-!*+&|/%^~").contains(text[i]) &&
             !(text[i] == '(' && i + 1 < text.size() && text[i + 1] != ')'))
        ++i;
      --i;
      continue;
    }
    if (depth == 0 && visit(i)) return i;
    char c = text[i];
    depth += c == '<' || c == '(' || c == '[' || c == '{';
    depth -= c == '>' || c == ')' || c == ']' || c == '}';
  }
  return text.npos;
}

std::string_view last_part(std::string_view name) {
  size_t part = 0;
  find_outside(name, [&](size_t i) {
    if (name.substr(i).starts_with("::")) part = i + 2;
    return false;
  });
  return name.substr(part);
}

std::string_view without_suffixes(std::string_view name) { return name.substr(0, core_size(name)); }

enum Way { linkage, plain, demangled, base, component, piece, none };

Way way_of(std::string_view wanted, const FunctionNamed& function) {
  auto bare = without_suffixes(function.name);
  if (bare == wanted) return plain;
  auto full = demangle(bare);
  if (full == wanted) return demangled;
  auto name = without_parameters(full);
  if (name == wanted) return base;
  if (last_part(name) == wanted || name.ends_with("::" + std::string(wanted))) return component;
  if (full.contains(wanted) || function.name.contains(wanted)) return piece;
  return none;
}

std::string joined(const std::vector<std::string>& names, size_t of) {
  std::string list;
  for (const auto& name : names) list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
  return of > names.size() ? fmt::format("{} and {} more", list, of - names.size()) : list;
}

// Larger than `most` where it is; that is told for most names by their lengths.
size_t distance_up_to(size_t most, std::string_view a, std::string_view b) {
  size_t least = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  return least > most ? least : edit_distance(a, b);
}

std::string nearest(std::string_view wanted, std::span<const FunctionNamed> names) {
  size_t most = std::max<size_t>(2, wanted.size() / 3);
  std::multimap<size_t, std::string> near;
  std::set<std::string> seen;
  for (const auto& function : names) {
    if (function.guid) continue;
    auto full = demangle(without_suffixes(function.name));
    std::string name(without_parameters(full));
    size_t distance =
        std::min(distance_up_to(most, wanted, name), distance_up_to(most, wanted, last_part(name)));
    if (distance > most || !seen.insert(name).second) continue;
    near.emplace(distance, name);
    if (near.size() > most_shown) near.erase(std::prev(near.end()));
  }
  std::vector<std::string> list;
  for (const auto& [distance, name] : near) list.push_back(name);
  return joined(list, list.size());
}

std::unexpected<Error> not_found(std::string_view wanted, std::span<const FunctionNamed> names) {
  auto near = wanted.size() < 200 ? nearest(wanted, names) : "";
  if (!near.empty()) return fail("holds no function '{}'; near to it: {}", wanted, near);
  if (std::ranges::any_of(names, [](const FunctionNamed& function) { return function.guid != 0; }))
    return fail(
        "holds no function '{}'; its names are hashes, which only a whole linkage name ('_Z...') "
        "finds",
        wanted);
  return fail("holds no function '{}'", wanted);
}

}  // namespace

std::string_view without_parameters(std::string_view text) {
  size_t end = find_outside(text, [&](size_t i) { return text[i] == '('; });
  text = text.substr(0, end);
  size_t start = 0;
  bool of_operator = false;  // "operator new", "operator bool" have blanks of their own
  find_outside(text, [&](size_t i) {
    of_operator |= text.substr(0, i).ends_with("operator");
    if (text[i] == ' ' && !of_operator) start = i + 1;
    return false;
  });
  bool is_template = end != text.npos && start > 0 && text.ends_with('>');
  text.remove_prefix(start);
  if (!is_template) return text;
  size_t arguments = text.size();
  for (int depth = 0; arguments > 0;) {
    char c = text[--arguments];
    depth += c == '>';
    depth -= c == '<';
    if (depth == 0) break;
  }
  return arguments > 0 ? text.substr(0, arguments) : text;
}

Result<std::vector<size_t>> functions_meant(std::string_view wanted,
                                            std::span<const FunctionNamed> names) {
  std::vector<size_t> found;
  u64 guid = function_guid(wanted);
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i].name == wanted || (names[i].guid && names[i].guid == guid)) found.push_back(i);
  if (!found.empty()) return found;
  Way best = none;
  for (size_t i = 0; i < names.size(); ++i) {
    Way way = names[i].guid ? none : way_of(wanted, names[i]);
    if (way == none || way > best) continue;
    if (way < best) found.clear();
    best = way;
    found.push_back(i);
  }
  if (found.empty()) return not_found(wanted, names);
  if (best != piece) return found;
  std::set<std::string> different;
  for (size_t i : found) different.insert(plain_name(names[i].name));
  if (different.size() == 1) return found;
  std::vector<std::string> list(different.begin(), different.end());
  list.resize(std::min(list.size(), most_shown));
  return fail("'{}' is a part of {} names: {}", wanted, different.size(),
              joined(list, different.size()));
}

}  // namespace pgokit
