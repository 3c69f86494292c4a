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

namespace {

u64 pair_of(u32 a, NameId b) { return u64{a} << 32 | static_cast<u32>(b); }
u64 pair_of(NameId a, NameId b) { return pair_of(static_cast<u32>(a), b); }

u32& at(std::vector<u32>& values, u32 i, u32 unknown) {
  if (i >= values.size()) values.resize(i + 1, unknown);
  return values[i];
}

}  // namespace

void FunctionNames::add(std::string_view name, std::string_view file) {
  if (mangled_) return;
  NameId its_name = texts_.intern(name), its_file = texts_.intern(file);
  if (functions_[pair_of(its_name, its_file)]++) return;
  has_swift_ |= name.starts_with("$s") || name.starts_with("$S");  // from Swift 5 on; 4.2
  u32& shown = at(shown_, static_cast<u32>(its_name), unknown);
  if (shown == unknown) shown = static_cast<u32>(texts_.intern(plain_name(name, how_)));
  ++at(alike_, shown, 0);
  ++with_file_[pair_of(shown, its_file)];
  ++with_suffix_[pair_of(shown, texts_.intern(dropped_suffixes(name)))];
}

u32 FunctionNames::shown_of(NameId name) const {
  auto i = static_cast<u32>(name);
  return i < shown_.size() ? shown_[i] : unknown;
}

std::string FunctionNames::of(std::string_view name, std::string_view file) const {
  auto its_name = texts_.find(name);
  u32 shown = its_name ? shown_of(*its_name) : unknown;
  if (shown == unknown) return function_name(name, mangled_, how_);
  std::string plain(texts_.text(NameId{shown}));
  if (alike_[shown] == 1) return plain;
  auto is_only = [&](const FlatMap<u32>& counts, std::string_view text) {
    auto id = texts_.find(text);
    const u32* count = id ? counts.find(pair_of(shown, *id)) : nullptr;
    return count && *count == 1;
  };
  if (!file.empty() && is_only(with_file_, file)) return fmt::format("{} ({})", plain, file);
  auto suffix = dropped_suffixes(name);
  if (is_only(with_suffix_, suffix)) return plain + suffix;
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
  Names texts;
  std::vector<NameId> short_names;
  std::vector<u32> alike;
  for (const auto& name : names) {
    short_names.push_back(texts.intern(shortened(name, longest)));
    ++at(alike, static_cast<u32>(short_names.back()), 0);
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (auto id = short_names[i]; alike[static_cast<u32>(id)] == 1) names[i] = texts.text(id);
}

}  // namespace pgokit::report
