#include "generate/context/probes/probe_parts.h"

#include <algorithm>
#include <utility>

#include "base/free_memory.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "unwind/contexts/context_numbers.h"

namespace pgokit::generate {
namespace {

using unwind::ContextNumbers;

void enter(ContextSamples::Context& context, const ProbePart& part, u32 i) {
  context.entries = add_saturated(context.entries, part.heads[i]);
  context.flags |= part.flags[i];
  if (context.entries) context.flags |= ContextSamples::entered;
}

// Contexts that several parts have are the last to be added to.
void make_contexts(const std::vector<ProbePart>& parts, const ContextNumbers& numbers,
                   unsigned threads, std::vector<ContextSamples::Context>& contexts) {
  contexts.resize(numbers.end());
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    u32 number = numbers.first(part);
    for (u32 i : numbers.owned(part)) {
      const auto& node = parts[part].nodes[i];
      auto& context = contexts[number++];
      context = {numbers.number(part, static_cast<u32>(node.parent)), node.function,
                 node.call_site};
      enter(context, parts[part], i);
    }
  });
  for (size_t part = 0; part < parts.size(); ++part)
    for (u32 i = 1; i < parts[part].nodes.size(); ++i)
      if (u32 number = numbers.number(part, i); !numbers.owns(part, number))
        enter(contexts[number], parts[part], i);
}

void sum_rows(ContextSamples& samples, unsigned threads) {
  constexpr size_t at_once = 1 << 14;
  parallel_each(samples.size(), at_once, threads, [&](size_t id, unsigned) {
    for (const auto& row : samples.rows.of(static_cast<u32>(id)))
      samples.contexts[id].total = add_saturated(samples.contexts[id].total, row.count);
  });
}

template <class Record, class Records>
void collect(std::vector<ProbePart>& parts, const ContextNumbers& numbers, unsigned threads,
             Records ProbePart::* records, ContextRows<Record>& into) {
  into = ContextRows<Record>(numbers.end());
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    for (const auto& one : parts[part].*records) into.expect(numbers.number(part, one.context), 1);
  });
  into.allocate();
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    for (const auto& one : std::exchange(parts[part].*records, {}))
      into.put(numbers.number(part, one.context), one.record);
  });
  return_free_memory();
}

}  // namespace

void ProbePart::clear() {
  nodes.clear();
  heads.clear();
  flags.clear();
  rows.clear();
  targets.clear();
  lists.clear();
}

void join(std::vector<ProbePart> parts, unsigned threads, ContextSamples& samples) {
  std::vector<ContextNumbers::Nodes> of_parts;
  for (const auto& part : parts) of_parts.emplace_back(part.nodes);
  ContextNumbers numbers(std::move(of_parts));
  make_contexts(parts, numbers, threads, samples.contexts);
  for (auto& part : parts)
    free_memory_of(part.nodes), free_memory_of(part.heads), free_memory_of(part.flags);
  return_free_memory();
  collect(parts, numbers, threads, &ProbePart::rows, samples.rows);
  sum_rows(samples, threads);
  collect(parts, numbers, threads, &ProbePart::targets, samples.targets);
  collect(parts, numbers, threads, &ProbePart::lists, samples.lists);
  samples.finish(threads);
}

}  // namespace pgokit::generate
