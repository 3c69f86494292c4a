#include "annotate/function_list.h"

#include <algorithm>

#include "base/saturated.h"

namespace pgokit::annotate {
namespace {

void sort(FunctionList& list) {
  std::ranges::sort(list.functions, [&](const auto& a, const auto& b) {
    if (list.weight(a) != list.weight(b)) return list.weight(a) > list.weight(b);
    if (a.instructions != b.instructions) return a.instructions > b.instructions;
    return a.name < b.name;
  });
}

u64 hottest_place(const profile::FunctionSamples& samples) {
  u64 hottest = 0;
  for (const auto& entry : samples.body.unordered())
    hottest = std::max(hottest, entry.value.samples);
  for (const auto& at : samples.inlinees.unordered())
    for (const auto& [name, inlinee] : at.value.unordered())
      hottest = std::max(hottest, hottest_place(*inlinee));
  return hottest;
}

}  // namespace

FunctionList list_functions(const program::Program& program, const CodeCounts& counts,
                            const FunctionSamples* samples) {
  FunctionList list;
  list.instructions = counts.instructions();
  list.has_samples = samples != nullptr;
  if (samples) list.samples = samples->total;
  const auto& table = program.functions();
  std::vector<bool> listed(table.size());
  auto add = [&](const FunctionCount& one) {
    listed[one.function] = true;
    list.functions.push_back({.name = std::string(table.name(one.function)),
                              .function = one.function,
                              .samples = samples ? samples->by_function[one.function] : 0,
                              .instructions = one.instructions,
                              .entries = one.entries,
                              .hottest = one.hottest,
                              .bytes = one.bytes,
                              .ran_bytes = one.ran_bytes});
  };
  for (const auto& one : counts.functions()) add(one);
  for (u32 function = 0; samples && function < table.size(); ++function) {
    if (listed[function] || samples->by_function[function] == 0) continue;
    FunctionCount one{.function = function};
    for (const auto& range : table.ranges_of(function)) one.bytes += range.end - range.start;
    add(one);
  }
  sort(list);
  return list;
}

FunctionList list_functions(const profile::Profile& profile) {
  FunctionList list{.of_profile = true, .has_samples = true};
  std::vector<u32> place(profile.names.size(), ~u32{0});
  for (const auto& function : profile.functions()) {
    auto name = profile.contexts.node(function.context).function;
    u32& at = place[static_cast<size_t>(name)];
    if (at == ~u32{0}) {
      at = static_cast<u32>(list.functions.size());
      list.functions.push_back({.name = std::string(profile.names.text(name))});
    }
    auto& one = list.functions[at];
    const auto& samples = function.samples;
    one.samples = add_saturated(one.samples, samples.total);
    one.entries = add_saturated(one.entries, samples.head);
    one.hottest = std::max(one.hottest, hottest_place(samples));
    list.samples = add_saturated(list.samples, samples.total);
  }
  sort(list);
  return list;
}

}  // namespace pgokit::annotate
