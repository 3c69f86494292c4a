#pragma once

// The order and numbering that files have: which names a profile uses, sorted, and how call targets
// and inlinees of one place follow each other.
//
//   FileOrder order(profile);                 // one sort of the names; all else compares integers
//   for (const Function* f : order.functions()) ...
//   order.index(name);                        // in the name table of the file

#include <atomic>
#include <span>
#include <vector>

#include "profile/model/profile.h"

namespace pgokit::profile {

struct NameCount {
  NameId name{};
  u64 count = 0;
};

class FileOrder {
 public:
  // `vtables`: their names belong to the file as well.
  explicit FileOrder(const Profile& profile, bool vtables = false, unsigned threads = 1);

  // The names used, ascending.
  std::span<const NameId> names() const { return names_; }
  u32 index(NameId name) const { return index_[static_cast<size_t>(name)]; }
  std::span<const u32> indexes() const { return index_; }
  std::span<const Function* const> functions() const { return functions_; }

  // By count downwards, then name. The list is in `list`, or lasts until the next call.
  std::span<const NameCount> targets(const NameCounts& counts, std::vector<NameCount>& list) const;
  std::span<const NameCount> targets(const NameCounts& counts) { return targets(counts, scratch_); }
  // By name.
  std::span<const NameCount> by_name(const NameCounts& counts, std::vector<NameCount>& list) const;
  std::span<const NameCount> by_name(const NameCounts& counts) { return by_name(counts, scratch_); }

  // By name. `visit(const FunctionSamples&)` may call this again for inlinees further in.
  template <class Visit>
  void inlinees(const FunctionSamples::Inlinees& callees, Visit visit) const {
    if (callees.size() == 1) return visit(*callees.unordered()[0].value);
    std::vector<const FunctionSamples*> sorted;
    for (const auto& [name, samples] : callees.unordered()) sorted.push_back(samples.get());
    std::sort(sorted.begin(), sorted.end(),
              [&](const auto* a, const auto* b) { return index(a->name) < index(b->name); });
    for (const auto* samples : sorted) visit(*samples);
  }

 private:
  void use(NameId name) {
    std::atomic_ref(index_[static_cast<size_t>(name)]).store(1, std::memory_order_relaxed);
  }
  void use_names_of(const FunctionSamples& samples, bool vtables);
  void number(const NameTable& names);

  std::vector<NameId> names_;
  std::vector<u32> index_;  // by NameId; while names are collected: whether it is used
  std::vector<const Function*> functions_;
  std::vector<NameCount> scratch_;
};

}  // namespace pgokit::profile
