#include "probe/address_index.h"

#include <algorithm>

#include "probe/walk.h"

namespace pgokit::probe {
namespace {

constexpr u64 limit = u64{1} << 32;

struct Count {
  size_t probes = 0, nodes = 0;
  void begin(const RecordHead&) {}
  void enter(const RawNode&) { ++nodes; }
  void probe(const RawProbe& raw, u64) { probes += !raw.is_sentinel(); }
  void leave() {}
};

}  // namespace

class AddressIndex::Fill {
 public:
  Fill(AddressIndex& index, u64 start) : index_(index), start_(start) {}

  void begin(const RecordHead&) { current_ = none; }
  void enter(const RawNode& raw) {
    index_.nodes_.push_back({place(raw.offset), current_});
    current_ = static_cast<u32>(index_.nodes_.size() - 1);
  }
  void probe(const RawProbe& raw, u64 address) {
    if (raw.is_sentinel()) return;
    u64 distance = address - index_.lowest_;
    if (distance < limit)
      index_.entries_.push_back(distance << 32 | place(raw.offset));
    else
      ++index_.outside_;
  }
  void leave() { current_ = index_.nodes_[current_].parent; }

 private:
  u32 place(u64 offset) const { return static_cast<u32>(start_ + offset); }

  AddressIndex& index_;
  u64 start_;
  u32 current_ = none;
};

AddressIndex AddressIndex::build(std::span<const Part> parts, u64 lowest) {
  AddressIndex index;
  index.lowest_ = lowest;
  // Counted first: growing would need the memory twice.
  Count count;
  u64 start = 0;
  for (const Part& part : parts) walk_section(part.section, part.address_of, count);
  index.entries_.reserve(count.probes);
  index.nodes_.reserve(count.nodes);
  for (const Part& part : parts) {
    if (part.section.size() > limit - start) {
      Count lost;
      walk_section(part.section, part.address_of, lost);
      index.outside_ += lost.probes;
      continue;
    }
    index.sections_.push_back({part.section, start});
    Fill fill(index, start);
    walk_section(part.section, part.address_of, fill);
    start += part.section.size();
  }
  std::ranges::sort(index.entries_);
  return index;
}

std::span<const AddressIndex::Entry> AddressIndex::from(u64 first) const {
  if (first < lowest_) return entries_;
  u64 distance = first - lowest_;
  if (distance >= limit) return {};
  auto at = std::ranges::lower_bound(entries_, distance << 32);
  return {at, entries_.end()};
}

const AddressIndex::Section& AddressIndex::section_of(u32 place) const {
  auto next = std::ranges::upper_bound(sections_, u64{place}, {}, &Section::start);
  return *--next;
}

RawProbe AddressIndex::probe(Entry entry) const {
  auto place = static_cast<u32>(entry);
  const Section& section = section_of(place);
  Cursor in(section.bytes.subspan(place - section.start));
  return read_probe(in);
}

RawNode AddressIndex::read_node(const Node& node) const {
  const Section& section = section_of(node.place);
  Cursor in(section.bytes.subspan(node.place - section.start));
  RawNode raw;
  if (node.parent != none) raw.call_site = static_cast<u32>(in.uleb128());
  raw.guid = in.get<u64>();
  return raw;
}

// The probes of a node stand between its head and the next node's.
void AddressIndex::append_context(Entry entry, std::vector<Frame>& frames) const {
  auto next = std::ranges::upper_bound(nodes_, static_cast<u32>(entry), {}, &Node::place);
  const Node* node = &*--next;
  size_t outer = frames.size();
  RawNode raw = read_node(*node);
  frames.push_back({raw.guid, probe(entry).index});
  while (node->parent != none) {
    node = &nodes_[node->parent];
    RawNode parent = read_node(*node);
    frames.push_back({parent.guid, raw.call_site});
    raw = parent;
  }
  std::reverse(frames.begin() + static_cast<std::ptrdiff_t>(outer), frames.end());
}

size_t AddressIndex::memory() const {
  return entries_.capacity() * sizeof(Entry) + nodes_.capacity() * sizeof(Node);
}

}  // namespace pgokit::probe
