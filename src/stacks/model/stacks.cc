#include "stacks/model/stacks.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "report/function_names.h"

namespace pgokit::stacks {
namespace {

std::vector<u32> numbers_to(size_t size) {
  std::vector<u32> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

// Depth first; the new number of each node.
std::vector<u32> arrange_nodes(std::vector<Node>& nodes) {
  auto children = numbers_to(nodes.size());
  children.erase(children.begin());
  std::ranges::sort(children, {},
                    [&](u32 node) { return std::pair(nodes[node].parent, nodes[node].location); });
  std::vector<u32> first(nodes.size() + 1);  // of the children of each node
  for (u32 node : children) ++first[nodes[node].parent + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());

  std::vector<u32> now(nodes.size()), open{0};
  std::vector<Node> arranged;
  arranged.reserve(nodes.size());
  while (!open.empty()) {
    u32 node = open.back();
    open.pop_back();
    now[node] = static_cast<u32>(arranged.size());
    arranged.push_back({now[nodes[node].parent], nodes[node].location});
    for (u32 i = first[node + 1]; i-- > first[node];) open.push_back(children[i]);
  }
  nodes = std::move(arranged);
  return now;
}

std::vector<u32> arrange_tracks(Stacks& stacks) {
  auto order = numbers_to(stacks.tracks.size());
  std::ranges::sort(order, {}, [&](u32 number) {
    const auto& track = stacks.tracks[number];
    return std::tuple(track.pid, track.tid, stacks.names.text(track.name), track.event);
  });
  std::vector<u32> now(order.size());
  std::vector<Track> arranged;
  for (u32 number : order) {
    now[number] = static_cast<u32>(arranged.size());
    arranged.push_back(stacks.tracks[number]);
  }
  stacks.tracks = std::move(arranged);
  return now;
}

}  // namespace

std::string_view Module::name() const { return std::string_view(path).substr(path.rfind('/') + 1); }

std::string Stacks::shown_name(const Frame& frame, const Location& location) const {
  auto name = names.text(frame.function);
  if (!name.empty()) return report::function_name(name);
  auto module = modules[location.module].name();
  if (module.empty()) return "[unknown]";
  return module.starts_with('[') ? std::string(module) : "[" + std::string(module) + "]";
}

void arrange(Stacks& stacks) {
  auto nodes = arrange_nodes(stacks.nodes);
  auto tracks = arrange_tracks(stacks);
  for (auto& sample : stacks.samples) {
    sample.node = nodes[sample.node];
    sample.track = tracks[sample.track];
  }
  std::ranges::sort(stacks.samples, {}, [](const Sample& sample) {
    return std::tuple(sample.track, sample.time, sample.node, sample.weight);
  });
}

}  // namespace pgokit::stacks
