#include "probe/comparison.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace pgokit::probe {

void Comparison::Collector::enter(const RawNode& node) {
  auto& all = comparison_;
  Edge edge{node.guid, current_, current_ == none ? 0 : node.call_site};
  auto [it, is_new] = all.numbers_.try_emplace(edge, static_cast<u32>(all.contexts_.size()));
  if (is_new) {
    bool is_root = current_ == none;
    u32 depth = is_root ? 0 : all.contexts_[current_].depth + 1;
    u32 root = is_root ? it->second : all.contexts_[current_].root;
    all.contexts_.push_back({edge.function, edge.parent, edge.call_site, depth, root});
    all.entered_.push_back({});
  }
  current_ = it->second;
  ++all.entered_[current_][static_cast<size_t>(side_)];
}

void Comparison::Collector::probe(const RawProbe& raw, u64 address) {
  if (raw.is_sentinel()) return;
  comparison_.found_.push_back({.context = current_,
                                .index = raw.index,
                                .type = raw.type,
                                .side = side_,
                                .copy = {head_.symbol, address - head_.base}});
}

// The place of each context when functions are in the order of their GUIDs and what was inlined
// into one follows it, by call site. Without recursion: files may nest them as deep as they like.
std::vector<u32> Comparison::preorder() const {
  std::vector<u32> order(contexts_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](u32 n) {
    const auto& one = contexts_[n];
    return std::tuple(one.parent, one.call_site, one.function);
  });
  auto children = [&](u32 parent) {
    auto of = [&](u32 n) { return contexts_[n].parent; };
    return std::ranges::equal_range(order, parent, {}, of);
  };
  std::vector<u32> place(contexts_.size()), open;
  auto push = [&](u32 parent) {
    auto some = children(parent);
    open.insert(open.end(), std::make_reverse_iterator(some.end()),
                std::make_reverse_iterator(some.begin()));
  };
  push(none);
  for (u32 next = 0; !open.empty(); ++next) {
    u32 context = open.back();
    open.pop_back();
    place[context] = next;
    push(context);
  }
  return place;
}

void Comparison::add_row(std::span<const Found> found) {
  size_t begin = copies_.size();
  for (const auto& one : found) copies_.push_back(one.copy);
  auto is_first = [](const Found& one) { return one.side == Side::first; };
  auto firsts = static_cast<size_t>(std::ranges::count_if(found, is_first));
  std::span copies(copies_);
  rows_.push_back({found.front().context, found.front().index, found.front().type,
                   copies.subspan(begin, firsts),
                   copies.subspan(begin + firsts, found.size() - firsts)});
}

void Comparison::sum(Function& function) const {
  for (const auto& row : rows(function)) {
    function.probes[0] += row.first.size(), function.probes[1] += row.second.size();
    function.gone += row.second.empty(), function.added += row.first.empty();
    function.moved +=
        !row.first.empty() && !row.second.empty() && row.first.size() != row.second.size();
  }
}

void Comparison::finish() {
  auto place = preorder();
  std::ranges::sort(found_, {}, [&](const Found& one) {
    return std::tuple(place[one.context], one.index, one.side, one.copy);
  });
  copies_.reserve(found_.size());      // rows point into it
  tsl::robin_map<u32, u32> number_of;  // functions, by their context
  for (size_t begin = 0, end = 0; begin < found_.size(); begin = end) {
    auto is_same = [&](const Found& one) {
      return one.context == found_[begin].context && one.index == found_[begin].index;
    };
    while (end < found_.size() && is_same(found_[end])) ++end;
    auto row = static_cast<u32>(rows_.size());
    add_row(std::span(found_).subspan(begin, end - begin));
    u32 root = contexts_[found_[begin].context].root;
    auto [it, is_new] = number_of.try_emplace(root, static_cast<u32>(functions_.size()));
    if (is_new) functions_.push_back({.guid = contexts_[root].function, .begin = row});
    functions_[it->second].end = row + 1;
  }
  for (auto& function : functions_) sum(function);
  for (u32 context = 0; context < contexts_.size(); ++context) {
    u32 root = contexts_[context].root;
    auto it = number_of.find(root);
    if (it == number_of.end() || root == context) continue;
    for (size_t side : {0, 1}) functions_[it->second].inlined[side] += entered_[context][side];
  }
  found_ = {};
}

std::span<const Comparison::Row> Comparison::rows(const Function& function) const {
  return std::span(rows_).subspan(function.begin, function.end - function.begin);
}

}  // namespace pgokit::probe
