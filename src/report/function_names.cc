#include "report/function_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace pgokit::report {

std::string function_name(std::string_view name, bool mangled, ReturnType how) {
  return mangled ? std::string(name) : plain_name(name, how);
}

bool has_in_name(std::string_view name, std::string_view text) {
  return name.find(text) != std::string_view::npos ||
         demangle(name).find(text) != std::string::npos;
}

std::string shortened(std::string_view name, size_t most) {
  constexpr std::string_view between = "...";
  if (name.size() <= most || most <= between.size()) return std::string(name);
  auto begins_letter = [&](size_t at) {  // UTF-8
    return (static_cast<unsigned char>(name[at]) & 0xc0) != 0x80;
  };
  size_t room = most - between.size(), front = room - room / 3, end = name.size() - room / 3;
  while (front > 0 && !begins_letter(front)) --front;
  while (end < name.size() && !begins_letter(end)) ++end;
  return fmt::format("{}{}{}", name.substr(0, front), between, name.substr(end));
}

void FunctionNames::add(std::string_view name, std::string_view file) {
  if (mangled_ || !functions_.insert(fmt::format("{}\n{}", name, file)).second) return;
  has_swift_ |= name.starts_with("$s") || name.starts_with("$S");  // from Swift 5 on; 4.2
  auto [known, added] = plain_.try_emplace(std::string(name));
  if (added) known->second = plain_name(name, how_);
  auto& alike = alike_[known->second];
  ++alike.functions;
  ++alike.files[std::string(file)];
  ++alike.suffixes[dropped_suffixes(name)];
}

std::string FunctionNames::of(std::string_view name, std::string_view file) const {
  auto known = plain_.find(std::string(name));
  if (known == plain_.end()) return function_name(name, mangled_, how_);
  const auto& plain = known->second;
  const auto& alike = alike_.at(plain);
  if (alike.functions == 1) return plain;
  auto is_only = [](const auto& counts, const std::string& key) {
    auto found = counts.find(key);
    return found != counts.end() && found->second == 1;
  };
  if (!file.empty() && is_only(alike.files, std::string(file)))
    return fmt::format("{} ({})", plain, file);
  auto suffix = dropped_suffixes(name);
  if (is_only(alike.suffixes, suffix)) return plain + suffix;
  return fmt::format("{} [{}]", plain, name);
}

namespace {

// `visit(name, rest)` with what follows each name: its place and the " @ ".
template <class Visit>
void for_each_frame(std::string_view context, Visit visit) {
  constexpr std::string_view between = " @ ";
  while (!context.empty()) {
    size_t at = context.find(between);
    size_t end = at == context.npos ? context.size() : at + between.size();
    size_t name = at == context.npos ? end : std::min(context.rfind(':', at), at);
    visit(context.substr(0, name), context.substr(name, end - name));
    context.remove_prefix(end);
  }
}

}  // namespace

void FunctionNames::add_context(std::string_view context) {
  for_each_frame(context, [&](std::string_view name, std::string_view) { add(name); });
}

std::string FunctionNames::of_context(std::string_view context) const {
  std::string text;
  for_each_frame(context, [&](std::string_view name, std::string_view rest) {
    text += of(name);
    text += rest;
  });
  return text;
}

void shorten_where_different(std::vector<std::string>& names) {
  constexpr size_t longest = 100;
  std::unordered_map<std::string, u32> alike;
  for (const auto& name : names) ++alike[shortened(name, longest)];
  for (auto& name : names)
    if (auto text = shortened(name, longest); alike[text] == 1) name = std::move(text);
}

}  // namespace pgokit::report
