#include "generate/context/probes/probe_parts.h"

#include <algorithm>
#include <utility>

#include "base/free_memory.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "generate/context/context_order.h"
#include "unwind/contexts/context_numbers.h"

namespace pgokit::generate {
namespace {

using unwind::ContextNumbers;

// Makes the contexts of all parts, then collects what there is of them.
class Joiner {
 public:
  Joiner(std::vector<ProbePart>& parts, unsigned threads, ContextSamples& samples)
      : parts_(parts), threads_(threads), samples_(samples), numbers_(nodes_of(parts)) {}

  void join() {
    make_contexts();
    collect_records();
    samples_.totals_are_sums = true;
    samples_.finish(threads_);
  }

 private:
  static std::vector<ContextNumbers::Nodes> nodes_of(const std::vector<ProbePart>& parts) {
    std::vector<ContextNumbers::Nodes> nodes;
    for (const auto& part : parts) nodes.emplace_back(part.nodes);
    return nodes;
  }
  void for_each_part(const auto& each) {
    parallel_for(parts_.size(), threads_, [&](size_t part, unsigned) { each(part); });
  }
  // Those that several parts have are the last.
  void for_each_context(const auto& each) {
    for_each_part([&](size_t part) {
      for (u32 i : numbers_.owned(part)) each(part, i);
    });
    for (size_t part = 0; part < parts_.size(); ++part)
      for (u32 i : numbers_.others(part)) each(part, i);
  }
  u32 place(size_t part, u32 context) const { return places_[numbers_.number(part, context)]; }

  void make_contexts();
  void enter(size_t part, u32 i);
  void collect_records();

  std::vector<ProbePart>& parts_;
  unsigned threads_;
  ContextSamples& samples_;
  ContextNumbers numbers_;
  std::vector<u32> places_;  // in samples_, by number
};

void Joiner::make_contexts() {
  std::vector<u8> flags(numbers_.end());
  for_each_context(
      [&](size_t part, u32 i) { flags[numbers_.number(part, i)] |= parts_[part].flags[i]; });
  auto nodes = numbers_.nodes(threads_);
  for (auto& part : parts_) free_memory_of(part.nodes), free_memory_of(part.flags);
  return_free_memory();
  places_ = order_contexts(std::move(nodes), std::move(flags), threads_, samples_);
  for_each_context([&](size_t part, u32 i) { enter(part, i); });
  for (auto& part : parts_) free_memory_of(part.heads);
  return_free_memory();
}

void Joiner::enter(size_t part, u32 i) {
  u64 head = parts_[part].heads[i];
  if (head == 0) return;
  auto& context = samples_.contexts[place(part, i)];
  samples_.counts.add(context.entries, head);
  context.set(ContextSamples::entered);
}

void Joiner::collect_records() {
  std::vector<ContextPool> pools(parts_.size());
  for_each_part([&](size_t part) {
    pools[part] = std::move(parts_[part].records);
    pools[part].renumber([&](u32 context) { return place(part, context); });
  });
  samples_.records = ContextRecords(std::move(pools), samples_.size(), threads_);
}

}  // namespace

void ProbePart::clear() {
  nodes.clear();
  heads.clear();
  flags.clear();
  records.clear();
}

void join(std::vector<ProbePart> parts, unsigned threads, ContextSamples& samples) {
  Joiner(parts, threads, samples).join();
}

}  // namespace pgokit::generate
