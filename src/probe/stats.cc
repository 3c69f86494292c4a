#include "probe/stats.h"

#include <algorithm>

#include "probe/walk.h"

namespace pgokit::probe {
namespace {

struct Count {
  size_t entries = 0;
  void begin(const RecordHead&) {}
  void enter(const RawNode&) { ++entries; }
  void probe(const RawProbe&, u64) { ++entries; }
  void leave() {}
};

}  // namespace

class Stats::Visitor {
 public:
  explicit Visitor(Stats& stats) : stats_(stats) {}

  void begin(const RecordHead& head) {
    end(head.offset);
    ++stats_.records;
    stats_.parts += head.is_part();
    stats_.without_symbol += !head.located;
    stats_.absolute += head.absolute;
    auto [at, added] =
        stats_.size_of_.try_emplace(head.guid, static_cast<u32>(stats_.sizes_.size()));
    if (added) stats_.sizes_.push_back({.guid = head.guid});
    current_ = at->second;
    start_ = head.offset;
    open_.clear();
  }

  // The record before ends here.
  void end(u64 offset) {
    if (current_ != none) size().bytes += offset - start_;
    current_ = none;
  }

  void enter(const RawNode& node) {
    if (!open_.empty()) {
      ++stats_.copies;
      ++size().copies;
      stats_.unknown_call_sites += node.call_site == 0;
      see(node.call_site);
    }
    open_.push_back(stats_.id_of(node.guid));
    stats_.deepest = std::max<u64>(stats_.deepest, open_.size() - 1);
  }

  void probe(const RawProbe& raw, u64) {
    if (raw.is_sentinel()) {
      ++stats_.sentinels;
      return;
    }
    switch (static_cast<Type>(raw.type)) {
      case Type::block:
        ++stats_.blocks;
        break;
      case Type::indirect_call:
        ++stats_.indirect_calls;
        break;
      case Type::direct_call:
        ++stats_.direct_calls;
        break;
      default:
        ++stats_.others;
    }
    ++size().probes;
    stats_.with_discriminator += raw.discriminator != 0;
    stats_.inlined_probes += open_.size() > 1;
    see(raw.index);
  }
  void leave() { open_.pop_back(); }

 private:
  FunctionSize& size() { return stats_.sizes_[current_]; }
  void see(u32 index) {
    if (index) stats_.seen_.push_back(u64{open_.back()} << 32 | index);
  }

  Stats& stats_;
  u32 current_ = none;
  u64 start_ = 0;
  std::vector<u32> open_;  // ids of the functions that it is in
};

u32 Stats::id_of(u64 guid) {
  auto [at, added] = ids_.try_emplace(guid, static_cast<u32>(guids_.size()));
  if (added) guids_.push_back(guid);
  return at->second;
}

std::optional<u64> Stats::add(Bytes section, const Table::AddressOf& address_of) {
  Count count;
  walk_section(section, address_of, count);
  // Many sections: growing by the exact number each time would copy everything again and again.
  if (seen_.capacity() - seen_.size() < count.entries)
    seen_.reserve(seen_.size() + std::max(count.entries, seen_.size() / 2));
  Visitor visitor(*this);
  auto broken = walk_section(section, address_of, visitor);
  visitor.end(broken.value_or(section.size()));
  return broken;
}

void Stats::finish(const Descriptors& descriptors) {
  std::ranges::sort(seen_);
  auto repeated = std::ranges::unique(seen_);
  seen_.erase(repeated.begin(), repeated.end());
  u64 distinct = seen_.size();
  for (size_t i = 0; i < seen_.size(); ++i) {
    bool last = i + 1 == seen_.size() || seen_[i + 1] >> 32 != seen_[i] >> 32;
    if (last) indices += static_cast<u32>(seen_[i]);
  }
  dangling = indices - distinct;
  for (u64 guid : guids_) without_descriptor += !descriptors.find(guid);
  for (const auto& one : descriptors.list()) without_probes += !ids_.contains(one.guid);
  seen_ = {};
}

std::vector<FunctionSize> Stats::largest(size_t count) const {
  auto sorted = sizes_;
  count = std::min(count, sorted.size());
  auto before = [](const FunctionSize& a, const FunctionSize& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.guid < b.guid;
  };
  std::ranges::partial_sort(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(count), before);
  sorted.resize(count);
  return sorted;
}

}  // namespace pgokit::probe
