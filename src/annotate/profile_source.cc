#include "annotate/profile_source.h"

#include <algorithm>
#include <map>

#include "base/demangle.h"
#include "base/named_function.h"
#include "base/saturated.h"

namespace pgokit::annotate {
namespace {

using profile::FunctionSamples;

// Lines before the first one are large numbers.
constexpr u32 first_before = 0x8000;

struct OwnLine {
  u64 count = 0;
  std::map<std::pair<std::string, bool>, u64> callees;  // by name and whether inlined
};
struct OwnLines {
  u64 samples = 0, entries = 0;
  std::map<u32, OwnLine> by_offset;
};

void add(OwnLines& own, const profile::Profile& profile, const FunctionSamples& samples) {
  own.samples = add_saturated(own.samples, samples.total);
  own.entries = add_saturated(own.entries, samples.head);
  auto count = [&](OwnLine& line, NameId callee, u64 number, bool inlined) {
    u64& sum = line.callees[{std::string(profile.names.text(callee)), inlined}];
    sum = add_saturated(sum, number);
  };
  std::map<u32, u64> most;  // of this context
  for (const auto& [at, record] : samples.body.unordered()) {
    if (at.line_offset >= first_before) continue;
    u64& here = most[at.line_offset];
    here = std::max(here, record.samples);
    if (record.targets)
      for (const auto& [callee, number] : record.targets->unordered())
        count(own.by_offset[at.line_offset], callee, number, false);
  }
  for (const auto& [at, inlinees] : samples.inlinees.unordered()) {
    if (at.line_offset >= first_before) continue;
    for (const auto& [callee, inlinee] : inlinees.unordered()) {
      u64 entries = inlinee->entry_estimate(false);
      u64& here = most[at.line_offset];
      here = std::max(here, entries);
      count(own.by_offset[at.line_offset], callee, entries, true);
    }
  }
  for (const auto& [offset, number] : most) {
    u64& sum = own.by_offset[offset].count;
    sum = add_saturated(sum, number);
  }
}

// "ns::Parser" and "next" of ns::Parser<int>::next(int).
struct ScopedName {
  std::string scope, name;
};

ScopedName scoped_name_of(const std::string& function) {
  auto demangled = demangle(function);
  std::string plain;
  int depth = 0;
  for (char c : without_parameters(demangled)) {
    if (c == '<') ++depth;
    if (depth == 0) plain += c;
    if (c == '>' && depth > 0) --depth;
  }
  size_t end = plain.rfind("::");
  if (end == plain.npos) return {"", plain.substr(plain.rfind(' ') + 1)};
  return {plain.substr(0, end), plain.substr(end + 2)};
}

// What stands in front of the name is the end of its scope.
bool fits(const Definition& one, const ScopedName& name, u32 largest_offset) {
  if (one.line + largest_offset > one.last) return false;
  return one.scope.empty() || name.scope == one.scope || name.scope.ends_with("::" + one.scope);
}

void choose(const std::vector<Definition>& all, const ScopedName& name, u32 largest_offset,
            ProfiledSource& source) {
  std::vector<const Definition*> fitting;
  for (const auto& one : all)
    if (fits(one, name, largest_offset)) fitting.push_back(&one);
  // One that is written with its scope is surer than one without.
  auto longest = std::ranges::max_element(fitting, {},
                                          [](const Definition* one) { return one->scope.size(); });
  if (longest != fitting.end()) {
    size_t size = (*longest)->scope.size();
    std::erase_if(fitting, [&](const Definition* one) { return one->scope.size() < size; });
  }
  if (fitting.size() == 1) {
    source.definition = *fitting.front();
    return;
  }
  if (all.empty()) {
    source.why_not = "no definition of it was found";
    return;
  }
  source.why_not = fitting.empty() ? "its lines do not fit to what was found: "
                                   : "several functions have this name: ";
  constexpr size_t most = 4;
  size_t shown = 0;
  for (const auto& one : all) {
    if (!fitting.empty() && std::ranges::count(fitting, &one) == 0) continue;
    if (shown == most) {
      source.why_not += " ...";
      break;
    }
    source.why_not += fmt::format("{}{}:{}", shown++ ? ", " : "", one.file, one.line);
  }
}

std::vector<ProfiledLine> lines_from(u32 first, const OwnLines& own) {
  std::vector<ProfiledLine> lines;
  for (const auto& [offset, line] : own.by_offset) {
    ProfiledLine one{first + offset, line.count, {}};
    for (const auto& [callee, count] : line.callees)
      one.callees.push_back({callee.first, count, callee.second});
    std::ranges::stable_sort(one.callees, std::greater{}, &ProfiledLine::Callee::count);
    lines.push_back(std::move(one));
  }
  return lines;
}

}  // namespace

std::vector<ProfiledSource> profiled_sources(const profile::Profile& profile,
                                             const std::vector<std::string>& functions,
                                             const SourceFolder& folder) {
  std::map<std::string_view, OwnLines> own;
  for (const auto& function : functions) own[function];
  for (const auto& one : profile.functions()) {
    auto name = profile.names.text(profile.contexts.node(one.context).function);
    if (auto found = own.find(name); found != own.end()) add(found->second, profile, one.samples);
  }
  std::vector<ScopedName> names;
  std::set<std::string, std::less<>> wanted;
  for (const auto& function : functions) {
    names.push_back(scoped_name_of(function));
    wanted.insert(names.back().name);
  }
  auto found = folder.definitions(wanted);
  std::vector<ProfiledSource> sources;
  for (size_t i = 0; i < functions.size(); ++i) {
    const auto& lines = own.at(functions[i]);
    ProfiledSource source{functions[i], lines.samples, lines.entries, {}, {}, {}};
    u32 largest = lines.by_offset.empty() ? 0 : lines.by_offset.rbegin()->first;
    choose(found[names[i].name], names[i], largest, source);
    if (source.definition) source.lines = lines_from(source.definition->line, lines);
    sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace pgokit::annotate
