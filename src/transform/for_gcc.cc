#include "transform/for_gcc.h"

#include <algorithm>
#include <vector>

#include "base/demangle.h"
#include "base/unique_names.h"

namespace pgokit::transform {
namespace {

// C4 and D4 may be a part of an identifier as well: it is the group of copies only where people
// would read the name of one copy as the same.
void name_copy(std::string& name) {
  constexpr std::string_view groups[] = {"C4", "D4"};
  for (auto group : groups)
    for (size_t at = name.find(group); at != name.npos; at = name.find(group, at + 2)) {
      std::string copy = name;
      copy[at + 1] = '2';
      auto text = demangle(name);
      if (text != name && demangle(copy) == text) name = std::move(copy);
    }
}

void drop_targets(profile::FunctionSamples& samples) {
  for (auto& place : samples.body.unordered()) place.value.targets.reset();
  for (auto& at : samples.inlinees.unordered())
    for (auto& inlinee : at.value.unordered()) drop_targets(*inlinee.value);
}

}  // namespace

std::string gcc_name(std::string_view name) {
  size_t dot = name.find('.');
  std::string text(dot == 0 ? name : name.substr(0, dot));
  if (text.starts_with("_Z")) name_copy(text);
  return text;
}

std::string gcc_name_in_c(std::string_view name) {
  constexpr std::string_view mangled = "_ZL";
  auto unique = split_unique_name(name);
  if (!unique || !unique->name.starts_with(mangled)) return gcc_name(name);
  auto rest = unique->name.substr(mangled.size());
  size_t length = 0, digits = 0;
  for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits)
    length = std::min<size_t>(length * 10 + static_cast<size_t>(rest[digits] - '0'), name.size());
  if (length == 0 || length > rest.size() - digits) return gcc_name(name);
  return std::string(rest.substr(digits, length));
}

void name_as_gcc(profile::Profile& profile, GccNames names) {
  auto gcc_name = names == GccNames::of_c ? gcc_name_in_c : transform::gcc_name;
  profile::Profile renamed;
  renamed.flags = profile.flags;
  std::vector<NameId> ids;
  for (u32 i = 0; i < profile.names.size(); ++i) {
    NameId id{i};
    ids.push_back(profile.names.is_guid(id)
                      ? renamed.names.intern_from(profile.names, id)
                      : renamed.names.intern(gcc_name(profile.names.text(id))));
  }
  for (const auto* function : profile.ordered()) {
    auto& into = renamed.function(ids[static_cast<size_t>(function->samples.name)]);
    merge(into, function->samples, 1, ids);
  }
  renamed.symbols = std::move(profile.symbols);
  renamed.notes = std::move(profile.notes);
  renamed.sort();
  profile = std::move(renamed);
}

void drop_call_targets(profile::Profile& profile) {
  for (auto& function : profile.functions()) drop_targets(function.samples);
}

}  // namespace pgokit::transform
