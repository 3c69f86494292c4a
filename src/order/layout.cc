#include "order/layout.h"

#include <tsl/robin_set.h>

#include <algorithm>
#include <cmath>

#include "base/hash.h"

namespace pgokit::order {
namespace {

constexpr u64 alignment = 16;
// Of one function: what a damaged symbol table says of its size is not walked through.
constexpr u64 most_pages = 1 << 16;

template <class Each>
void for_each_page(const Extent& extent, u64 page_size, Each each) {
  u64 first = extent.begin / page_size, last = (extent.end - 1) / page_size;
  for (u64 page = first; page <= last && page - first < most_pages; ++page) each(page);
}

u64 distance(u64 a, u64 b) { return a > b ? a - b : b - a; }

}  // namespace

Layout present_layout(const Model& model) {
  Layout layout;
  for (const auto& f : model.functions)
    layout.functions.push_back(f.address ? Extent{f.address, f.address + std::max<u64>(1, f.size)}
                                         : Extent{});
  return layout;
}

Layout layout_of(std::span<const u32> order, const Model& model) {
  Layout layout;
  layout.functions.resize(model.functions.size());
  u64 at = model.start ? model.start : 1 << 20;
  auto place = [&](u32 function) {
    auto& extent = layout.functions[function];
    if (extent.is_there()) return;
    extent = {at, at + std::max<u64>(1, model.functions[function].size)};
    at = (extent.end + alignment - 1) / alignment * alignment;
  };
  for (u32 function : order) place(function);
  std::vector<u32> rest;
  for (u32 f = 0; f < model.functions.size(); ++f) rest.push_back(f);
  std::ranges::stable_sort(rest, {}, [&](u32 f) { return model.functions[f].address; });
  for (u32 function : rest) place(function);
  return layout;
}

PageCurve page_curve(const Layout& layout, const Trace& trace, u64 page_size) {
  PageCurve curve;
  tsl::robin_set<u64, IntHash> seen;
  for (u32 function : trace.functions) {
    const auto& extent = layout.functions[function];
    if (!extent.is_there()) {
      ++curve.missing;
      continue;
    }
    ++curve.functions;
    for_each_page(extent, page_size, [&](u64 page) { curve.pages += seen.insert(page).second; });
    curve.area += static_cast<double>(curve.pages);
  }
  return curve;
}

std::vector<u64> touched_pages(const Layout& layout, const Trace& trace, u64 page_size) {
  std::vector<u64> pages;
  for (u32 function : trace.functions)
    if (const auto& extent = layout.functions[function]; extent.is_there())
      for_each_page(extent, page_size, [&](u64 page) { pages.push_back(page); });
  std::ranges::sort(pages);
  pages.erase(std::ranges::unique(pages).begin(), pages.end());
  return pages;
}

CallDistances call_distances(const Layout& layout, const Model& model) {
  CallDistances sum;
  double logs = 0;
  for (const auto& call : model.calls) {
    if (call.from == call.to) continue;
    const auto &from = layout.functions[call.from], &to = layout.functions[call.to];
    if (!from.is_there() || !to.is_there()) continue;
    auto weight = static_cast<double>(call.weight);
    u64 bytes = distance(from.begin + (from.end - from.begin) / 2, to.begin);
    sum.weight += weight;
    if (bytes < 4096) sum.within_page += weight;
    if (bytes < (64 << 10)) sum.within_64k += weight;
    if (bytes < (2 << 20)) sum.within_2m += weight;
    logs += weight * std::log2(static_cast<double>(std::max<u64>(1, bytes)));
  }
  if (sum.weight > 0) sum.mean_log2 = logs / sum.weight;
  return sum;
}

}  // namespace pgokit::order
