#include "instrument/facts.h"

#include <algorithm>
#include <map>

#include "base/function_name.h"
#include "base/saturated.h"
#include "instrument/blocks.h"
#include "profile/model/function_samples.h"

namespace pgokit::instrument {
namespace {

FunctionFacts function_facts(const Module& module, u32 i) {
  const auto& function = module.functions[i];
  FunctionFacts facts{.function = i,
                      .ran = module.data.ran[i] > 0,
                      .ran_dumps = module.data.ran[i],
                      .calls = module.data.calls[i]};
  facts.work = facts.calls;
  auto counts = block_counts(module, function);
  if (!counts.known()) return facts;
  facts.blocks = function.block_count;
  for (u32 b = 0; b < facts.blocks; ++b) facts.blocks_ran += counts.has_run(b);
  if (counts.executions.empty()) return facts;
  facts.work = 0;
  for (u64 executions : counts.executions) facts.work = add_saturated(facts.work, executions);
  return facts;
}

}  // namespace

ModuleFacts facts_of(const Module& module) {
  ModuleFacts facts;
  facts.functions.reserve(module.functions.size());
  for (u32 i = 0; i < module.functions.size(); ++i) {
    const auto& f = facts.functions.emplace_back(function_facts(module, i));
    facts.ran += f.ran;
    facts.calls = add_saturated(facts.calls, f.calls);
    facts.work = add_saturated(facts.work, f.work);
    facts.blocks += f.blocks;
    facts.blocks_ran += f.blocks_ran;
    facts.code += module.functions[i].size;
    if (f.ran) facts.code_ran += module.functions[i].size;
  }
  return facts;
}

std::vector<u32> by_work(const ModuleFacts& facts) {
  std::vector<u32> order;
  for (const auto& f : facts.functions) order.push_back(f.function);
  std::ranges::stable_sort(order, std::greater{}, [&](u32 i) {
    const auto& f = facts.functions[i];
    return std::tuple(f.work, f.ran_dumps);
  });
  return order;
}

std::optional<double> mean_rank(const FirstRuns& first) {
  if (first.dumps == 0) return std::nullopt;
  return static_cast<double>(first.rank_sum) / static_cast<double>(first.dumps);
}

std::vector<u32> by_first_run(const Module& module) {
  std::vector<u32> order;
  for (u32 i = 0; i < module.functions.size(); ++i)
    if (module.data.first[i].dumps > 0) order.push_back(i);
  // Exact: a / b < c / d as a * d < c * b.
  std::ranges::stable_sort(order, [&](u32 a, u32 b) {
    const auto &x = module.data.first[a], &y = module.data.first[b];
    using Wide = unsigned __int128;
    return Wide{x.rank_sum} * y.dumps < Wide{y.rank_sum} * x.dumps;
  });
  return order;
}

std::vector<u32> never_ran(const Module& module) {
  std::vector<u32> list;
  for (u32 i = 0; i < module.functions.size(); ++i)
    if (module.data.ran[i] == 0) list.push_back(i);
  std::ranges::stable_sort(list, std::greater{}, [&](u32 i) { return module.functions[i].size; });
  return list;
}

std::vector<std::string> names_that_never_ran(std::span<const Module> modules,
                                              const InlinedRuns& inlined) {
  std::map<std::string_view, bool> ran;
  for (const auto& module : modules)
    for (u32 i = 0; i < module.functions.size(); ++i) {
      const auto& function = module.functions[i];
      bool known = module.data.dumps > 0 && function.kinds & module.kinds_of_runs();
      ran[canonical_function_name(module.name(function))] |= !known || module.data.ran[i] > 0;
    }
  for (const auto& [name, work] : inlined) ran[canonical_function_name(name)] = true;
  std::vector<std::string> names;
  for (auto [name, has] : ran)
    if (!has) names.emplace_back(name);
  return names;
}

}  // namespace pgokit::instrument
