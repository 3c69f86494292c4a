#include "probe/table.h"

#include <algorithm>
#include <utility>

#include "probe/record.h"
#include "probe/running_address.h"

namespace pgokit::probe {
namespace {

struct Survey {
  bool absolute = false;
  void enter(const RawNode&) {}
  void probe(const RawProbe& raw) { absolute |= !raw.is_delta && !raw.is_sentinel(); }
  void leave() {}
};

struct FollowAddress {
  RunningAddress& address;
  void enter(const RawNode&) {}
  void probe(const RawProbe& raw) { address.advance(raw); }
  void leave() {}
};

struct Build {
  RunningAddress& address;
  const Descriptors& descriptors;
  std::vector<Node>& nodes;
  std::vector<Probe>& probes;
  Damage& damage;
  u32 current = none;

  void enter(const RawNode& raw) {
    bool far = raw.call_site > largest_index;
    damage.call_sites += far;
    u32 call_site = far ? 0 : raw.call_site;
    Node node{.guid = raw.guid, .parent = current, .call_site = call_site};
    if (const Descriptor* known = descriptors.find(raw.guid))
      node.descriptor = static_cast<u32>(known - descriptors.list().data());
    node.first_probe = static_cast<u32>(probes.size());
    current = static_cast<u32>(nodes.size());
    nodes.push_back(node);
  }
  void probe(const RawProbe& raw) {
    u64 at = address.advance(raw);
    if (raw.is_sentinel()) return;
    if (raw.index > largest_index) {
      ++damage.probes;
      return;
    }
    ++nodes[current].probe_count;
    probes.push_back({.address = at,
                      .node = current,
                      .index = raw.index,
                      .discriminator = raw.discriminator,
                      .type = static_cast<Type>(raw.type),
                      .attributes = raw.attributes});
  }
  void leave() {
    nodes[current].subtree_end = static_cast<u32>(nodes.size());
    current = nodes[current].parent;
  }
};

// Sorts by address, keeping the order of equal ones, and tells where each one went. Most sections
// are nearly in order; the keys are sorted apart from the probes because they are half as large.
std::vector<u32> sort_by_address(std::vector<Probe>& probes) {
  std::vector<std::pair<u64, u32>> keys(probes.size());
  for (u32 i = 0; i < probes.size(); ++i) keys[i] = {probes[i].address, i};
  std::sort(keys.begin(), keys.end());
  std::vector<Probe> sorted;
  sorted.reserve(probes.size());
  std::vector<u32> place(probes.size());
  for (const auto& [address, from] : keys) {
    place[from] = static_cast<u32>(sorted.size());
    sorted.push_back(probes[from]);
  }
  probes = std::move(sorted);
  return place;
}

}  // namespace

Table Table::index(Bytes descriptor_section, Bytes probe_section) {
  Table out;
  out.descriptors_ = Descriptors::read(descriptor_section);
  out.section_ = probe_section;
  Cursor in(probe_section);
  std::vector<u64> open;
  Survey survey;
  while (!in.at_end()) {
    Record record{.guid = 0, .offset = in.position()};
    Cursor head = in;
    record.guid = head.get<u64>();
    if (!walk_record(in, open, survey)) {
      out.truncated_ = true;
      break;
    }
    out.records_.push_back(record);
    if (!survey.absolute) out.first_absolute_ = out.records_.size();
  }
  return out;
}

// A record whose function has no known symbol begins where the one before it ended, however far
// back that one's own beginning is. This is rare (there is a sentinel then), so the records in
// between are walked only when it happens; each at most once, because `settled` only grows.
Decoded Table::decode(const Wanted& wanted, const AddressOf& address_of) const {
  Decoded out;
  out.descriptors_ = &descriptors_;
  out.damage_.names = descriptors_.unnamed();
  out.damage_.truncated = truncated_ || descriptors_.truncated();
  RunningAddress address(address_of);
  std::vector<u64> open;
  size_t settled = 0;  // the running address is that at the end of record settled - 1
  auto settle = [&](size_t until) {
    auto has_start = [&](size_t i) { return i < first_absolute_ && address_of(records_[i].guid); };
    size_t from = until;
    while (from > settled) {
      --from;
      if (has_start(from)) break;
    }
    for (; from < until; ++from) {
      Cursor in(section_.subspan(records_[from].offset));
      FollowAddress follow{address};
      address.set_absolute(from > first_absolute_);
      address.begin_function(records_[from].guid);
      walk_record(in, open, follow);
    }
  };
  for (size_t i = 0; i < records_.size(); ++i) {
    const Record& record = records_[i];
    if (!wanted(record.guid)) continue;
    address.set_absolute(i > first_absolute_);
    if (!address.begin_function(record.guid)) settle(i);
    Cursor in(section_.subspan(record.offset));
    Build build{address, descriptors_, out.nodes_, out.probes_, out.damage_};
    walk_record(in, open, build);
    settled = i + 1;
  }
  for (const Node& node : out.nodes_) out.unknown_functions_ += node.descriptor == none;
  out.by_node_ = sort_by_address(out.probes_);
  return out;
}

std::span<const Probe> Decoded::in(u64 first, u64 last) const {
  auto before = [](const Probe& probe, u64 address) { return probe.address < address; };
  auto after = [](u64 address, const Probe& probe) { return address < probe.address; };
  auto from = std::lower_bound(probes_.begin(), probes_.end(), first, before);
  auto to = std::upper_bound(from, probes_.end(), last, after);
  return {from, to};
}

const Probe* Decoded::call_probe(u64 address) const {
  for (const Probe& probe : at(address))
    if (probe.is_call()) return &probe;
  return nullptr;
}

std::span<const u32> Decoded::probes_of(const Node& node) const {
  return std::span(by_node_).subspan(node.first_probe, node.probe_count);
}

void Decoded::add(std::vector<Probe> more) {
  std::ranges::stable_sort(more, {}, &Probe::node);
  std::vector<Probe> all;
  all.reserve(probes_.size() + more.size());
  auto next = more.begin();
  for (u32 number = 0; number < nodes_.size(); ++number) {
    auto& node = nodes_[number];
    auto first = static_cast<u32>(all.size());
    for (u32 at : probes_of(node)) all.push_back(probes_[at]);
    while (next != more.end() && next->node == number) all.push_back(*next++);
    node.first_probe = first;
    node.probe_count = static_cast<u32>(all.size()) - first;
  }
  probes_ = std::move(all);
  by_node_ = sort_by_address(probes_);
}

std::string_view Decoded::name_of(const Node& node) const {
  return node.descriptor == none ? std::string_view{} : descriptors_->list()[node.descriptor].name;
}

void Decoded::append_context(const Probe& probe, bool with_leaf, std::vector<Frame>& frames) const {
  std::vector<Frame> inner;  // innermost first
  const Node* node = &nodes_[probe.node];
  if (with_leaf) inner.push_back({name_of(*node), probe.index});
  for (; node->is_inlined(); node = &nodes_[node->parent])
    inner.push_back({name_of(nodes_[node->parent]), node->call_site});
  for (size_t i = inner.size(); i-- > 0;) {
    if (inner[i].id == 0 && i != 0) {
      frames.clear();
    } else {
      frames.push_back(inner[i]);
    }
  }
}

}  // namespace pgokit::probe
