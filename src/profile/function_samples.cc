#include "profile/function_samples.h"

namespace pgokit::profile {
namespace {

// `count` added `weight` times.
void add_weighted(u64& sum, u64 count, u64 weight) {
  sum = add_saturated(sum, weight == 1 ? count : multiply_saturated(count, weight));
}

// What to add, and how often.
struct Addition {
  u64 weight;
  std::span<const NameId> renamed;

  NameId name(NameId id) const { return renamed.empty() ? id : renamed[static_cast<size_t>(id)]; }
  void add(NameCounts& into, const NameCounts& from) const {
    for (const auto& [id, count] : from.unordered()) add_weighted(into[name(id)], count, weight);
  }
};

}  // namespace

u64 BodyRecord::target_sum() const {
  u64 sum = 0;
  if (targets)
    for (const auto& target : targets->unordered()) sum = add_saturated(sum, target.value);
  return sum;
}

void FunctionSamples::add_target(LineLocation at, NameId callee, u64 count) {
  auto& targets = body[at].targets;
  if (!targets) targets = std::make_unique<NameCounts>();
  u64& sum = (*targets)[callee];
  sum = add_saturated(sum, count);
}

void FunctionSamples::add_vtable(LineLocation at, NameId vtable, u64 count) {
  if (!vtables) vtables = std::make_unique<FillMap<LineLocation, NameCounts>>();
  u64& sum = (*vtables)[at][vtable];
  sum = add_saturated(sum, count);
}

FunctionSamples& FunctionSamples::inlinee(LineLocation at, NameId callee) {
  auto& made = inlinees[at][callee];
  if (!made) {
    made = std::make_unique<FunctionSamples>();
    made->name = callee;
  }
  return *made;
}

u64 FunctionSamples::entry_estimate(bool context_sensitive) const {
  if (context_sensitive && head != 0) return head;
  u64 count = 0;
  if (!body.empty() && (inlinees.empty() || body.begin()->key < inlinees.begin()->key)) {
    count = body.begin()->value.samples;
  } else if (!inlinees.empty()) {
    for (const auto& [callee, samples] : inlinees.begin()->value.unordered())
      count = add_saturated(count, samples->entry_estimate(context_sensitive));
  }
  return count ? count : u64{total > 0};
}

void FunctionSamples::sort() {
  body.sort();
  for (auto& record : body)
    if (record.value.targets) record.value.targets->sort();
  inlinees.sort();
  for (auto& [location, callees] : inlinees) {
    callees.sort();
    for (auto& [callee, samples] : callees) samples->sort();
  }
  if (!vtables) return;
  vtables->sort();
  for (auto& [location, counts] : *vtables) counts.sort();
}

bool merge(FunctionSamples& into, const FunctionSamples& from, u64 weight,
           std::span<const NameId> renamed) {
  if (into.checksum != 0 && into.checksum != from.checksum) return false;
  Addition addition{weight, renamed};
  if (into.empty()) into.attributes |= from.attributes;
  if (into.checksum == 0) into.checksum = from.checksum;
  add_weighted(into.total, from.total, weight);
  add_weighted(into.head, from.head, weight);
  for (const auto& [location, record] : from.body.unordered()) {
    auto& target = into.body[location];
    add_weighted(target.samples, record.samples, weight);
    if (!record.targets) continue;
    if (!target.targets) target.targets = std::make_unique<NameCounts>();
    addition.add(*target.targets, *record.targets);
  }
  for (const auto& [location, callees] : from.inlinees.unordered())
    for (const auto& [callee, samples] : callees.unordered())
      merge(into.inlinee(location, addition.name(callee)), *samples, weight, renamed);
  if (!from.vtables) return true;
  if (!into.vtables) into.vtables = std::make_unique<FillMap<LineLocation, NameCounts>>();
  for (const auto& [location, counts] : from.vtables->unordered())
    addition.add((*into.vtables)[location], counts);
  return true;
}

}  // namespace pgokit::profile
