#include "profile/model/function_samples.h"

#include "base/saturated.h"

namespace pgokit::profile {
namespace {

// `count` added `weight` times.
void add_weighted(u64& sum, u64 count, u64 weight) {
  sum = add_saturated(sum, weight == 1 ? count : multiply_saturated(count, weight));
}

// Adds what one function has itself, inlinees apart.
struct Renaming {
  u64 weight;
  std::span<const NameId> renamed;

  NameId name(NameId id) const { return renamed.empty() ? id : renamed[static_cast<size_t>(id)]; }
  void add(NameCounts& into, const NameCounts& from) const {
    for (const auto& [id, count] : from.unordered()) add_weighted(into[name(id)], count, weight);
  }
  void add_own(FunctionSamples& into, const FunctionSamples& from) const {
    add_weighted(into.total, from.total, weight);
    add_weighted(into.head, from.head, weight);
    add_body(into, from);
    if (!from.vtables) return;
    if (!into.vtables) into.vtables = std::make_unique<FillMap<LineLocation, NameCounts>>();
    for (const auto& [location, counts] : from.vtables->unordered())
      add((*into.vtables)[location], counts);
  }
  void add_body(FunctionSamples& into, const FunctionSamples& from) const {
    FillMap<LineLocation, BodyRecord>::Walk body(into.body);
    for (const auto& [location, record] : from.body.unordered()) {
      auto& target = body[location];
      add_weighted(target.samples, record.samples, weight);
      if (!record.targets) continue;
      if (!target.targets) target.targets = std::make_unique<NameCounts>();
      add(*target.targets, *record.targets);
    }
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
  return estimated_entries(count, total);
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

void FunctionSamples::rename(std::span<const NameId> renamed) {
  auto renamed_to = [&](NameId id) { return renamed[static_cast<size_t>(id)]; };
  name = renamed_to(name);
  for (auto& [location, record] : body.unordered())
    if (record.targets) record.targets->rename(renamed_to);
  for (auto& [location, callees] : inlinees.unordered()) {
    callees.rename(renamed_to);
    for (auto& [callee, samples] : callees.unordered()) samples->rename(renamed);
  }
  if (!vtables) return;
  for (auto& [location, counts] : vtables->unordered()) counts.rename(renamed_to);
}

bool admit(FunctionSamples& into, bool fresh, u64 checksum, u32 attributes, ChecksumRule rule) {
  if (rule == ChecksumRule::first) {
    if (fresh) into.attributes = attributes;
    if (into.checksum != 0 && into.checksum != checksum) return false;
    into.checksum = checksum;
    return true;
  }
  if (!fresh && checksum < into.checksum) return false;
  if (!fresh && checksum > into.checksum) {
    NameId name = into.name;
    into = FunctionSamples{};
    into.name = name;
  }
  into.checksum = checksum;
  into.attributes |= attributes;
  return true;
}

u64 add(FunctionSamples& into, bool fresh, const FunctionSamples& from, const Addition& addition) {
  u64 replaced = !fresh && into.checksum != 0 && into.checksum != from.checksum;
  if (!admit(into, fresh, from.checksum, from.attributes, addition.rule)) return 1;
  Renaming renaming{addition.weight, addition.renamed};
  renaming.add_own(into, from);
  for (const auto& [location, callees] : from.inlinees.unordered())
    for (const auto& [callee, samples] : callees.unordered()) {
      NameId name = renaming.name(callee);
      auto& made = into.inlinees[location][name];
      bool is_new = !made;
      if (is_new) made = std::make_unique<FunctionSamples>();
      made->name = name;
      replaced += add(*made, is_new, *samples, addition);
    }
  return replaced;
}

bool merge(FunctionSamples& into, const FunctionSamples& from, u64 weight,
           std::span<const NameId> renamed) {
  if (into.checksum != 0 && into.checksum != from.checksum) return false;
  Renaming renaming{weight, renamed};
  if (into.empty()) into.attributes |= from.attributes;
  if (into.checksum == 0) into.checksum = from.checksum;
  renaming.add_own(into, from);
  for (const auto& [location, callees] : from.inlinees.unordered())
    for (const auto& [callee, samples] : callees.unordered())
      merge(into.inlinee(location, renaming.name(callee)), *samples, weight, renamed);
  return true;
}

}  // namespace pgokit::profile
