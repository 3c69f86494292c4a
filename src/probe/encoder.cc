#include "probe/encoder.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/function_name.h"
#include "base/leb128.h"

namespace pgokit::probe {

void Sink::uleb128(u64 value) {
  put_uleb128(value, [&](u8 one) { byte(one); });
}

void ByteSink::u64le(u64 value) {
  for (int i = 0; i < 8; ++i) byte(static_cast<u8>(value >> 8 * i));
}

void ByteSink::distance(Place from, Place to) {
  put_sleb128(static_cast<i64>(to - from), [&](u8 one) { byte(one); });
}

FunctionProbes::FunctionProbes(std::string_view symbol, Place start)
    : symbol_guid_(function_guid(symbol)), start_(start) {}

std::span<const FunctionProbes::Edge> FunctionProbes::edges(u32 path) const {
  return std::span(edges_).subspan(paths_[path].first, paths_[path].count);
}

bool FunctionProbes::is_last_path(u64 function, std::span<const CallSite> inlined_by) const {
  if (paths_.empty() || paths_.back().count != inlined_by.size() + 1) return false;
  u32 call_site = 0;
  auto edge = edges_.begin() + paths_.back().first;
  for (const CallSite& call : inlined_by) {
    if (*edge++ != Edge{call.function, call_site}) return false;
    call_site = call.call_site;
  }
  return *edge == Edge{function, call_site};
}

void FunctionProbes::add(u64 function, std::span<const CallSite> inlined_by,
                         const NewProbe& probe) {
  // Probes of one place mostly come together.
  if (!is_last_path(function, inlined_by)) {
    paths_.push_back({static_cast<u32>(edges_.size()), static_cast<u32>(inlined_by.size() + 1)});
    u32 call_site = 0;
    for (const CallSite& call : inlined_by) {
      edges_.push_back({call.function, call_site});
      call_site = call.call_site;
    }
    edges_.push_back({function, call_site});
  }
  probes_.push_back(probe);
  path_of_.push_back(static_cast<u32>(paths_.size() - 1));
}

// Opens the nodes of `path` that the path before it did not pass.
void FunctionProbes::add_nodes(std::span<const Edge> path, std::span<const Edge> before, Tree& tree,
                               std::vector<u32>& open) const {
  auto parting = std::ranges::mismatch(path, before).in1;
  open.resize(static_cast<size_t>(parting - path.begin()));
  for (; parting != path.end(); ++parting) {
    if (!open.empty()) ++tree.nodes[open.back()].children;
    u32 depth = static_cast<u32>(open.size());
    open.push_back(static_cast<u32>(tree.nodes.size()));
    tree.nodes.push_back({*parting, 0, 0, depth});
  }
}

// Sorted paths are the tree in preorder with its children in order: a tree need not be built.
FunctionProbes::Tree FunctionProbes::build_tree() const {
  std::vector<u32> sorted(paths_.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::sort(sorted, [&](u32 a, u32 b) {
    return std::ranges::lexicographical_compare(edges(a), edges(b));
  });
  Tree tree;
  std::vector<u32> open, node_of(paths_.size());
  std::span<const Edge> before;
  for (u32 path : sorted) {
    add_nodes(edges(path), before, tree, open);
    node_of[path] = open.back();
    before = edges(path);
  }
  for (u32 path : path_of_) ++tree.nodes[node_of[path]].probes;
  std::vector<u32> next(tree.nodes.size());
  u32 first = 0;
  for (size_t i = 0; i < next.size(); ++i)
    first += tree.nodes[i].probes, next[i] = first - tree.nodes[i].probes;
  tree.probes.resize(probes_.size());
  for (size_t i = 0; i < probes_.size(); ++i)
    tree.probes[next[node_of[path_of_[i]]]++] = static_cast<u32>(i);
  return tree;
}

void FunctionProbes::encode_probe(const NewProbe& probe, Place& last, Sink& sink) const {
  assert(static_cast<u8>(probe.type) < 16 && probe.attributes < 8);
  sink.uleb128(probe.index);
  sink.byte(static_cast<u8>(0x80 | probe.attributes << 4 | static_cast<u8>(probe.type)));
  sink.distance(last, probe.place);
  if (probe.attributes & discriminator_attribute) sink.uleb128(probe.discriminator);
  last = probe.place;
}

void FunctionProbes::encode(Sink& sink) const {
  Tree tree = build_tree();
  const u32* probe = tree.probes.data();
  Place last = start_;
  for (const Node& node : tree.nodes) {
    bool is_top = node.depth == 0;
    bool is_foreign = is_top && node.edge.function != symbol_guid_;
    if (is_top) last = start_;
    if (!is_top) sink.uleb128(node.edge.call_site);
    sink.u64le(node.edge.function);
    sink.uleb128(node.probes + is_foreign);
    sink.uleb128(node.children);
    if (is_foreign) {
      sink.uleb128(0);
      sink.byte(sentinel_attribute << 4);
      sink.u64le(symbol_guid_);
    }
    for (const u32* end = probe + node.probes; probe < end; ++probe)
      encode_probe(probes_[*probe], last, sink);
  }
}

void write_descriptor(const Descriptor& descriptor, Sink& sink) {
  sink.u64le(descriptor.guid);
  sink.u64le(descriptor.hash);
  sink.uleb128(descriptor.name.size());
  for (char c : descriptor.name) sink.byte(static_cast<u8>(c));
}

std::string descriptor_group(std::string_view function) {
  return ".pseudo_probe_desc_" + std::string(function);
}

}  // namespace pgokit::probe
