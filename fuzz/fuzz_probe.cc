// Two bytes: the size of the descriptor section; then that section, then the probe section.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/cursor.h"
#include "probe/address_index.h"
#include "probe/stats.h"
#include "probe/table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pgokit;
  Cursor in({data, size});
  Bytes descriptors = in.bytes(in.get<u16>());
  if (!in.ok()) return 0;
  auto table = probe::Table::index(descriptors, in.rest());
  auto some = [](u64 guid) -> std::optional<u64> {
    return guid % 2 ? std::optional<u64>(guid & 0xffff) : std::nullopt;
  };
  auto all = table.decode([](u64) { return true; }, some);
  auto third = table.decode([](u64 guid) { return guid % 3 == 0; }, some);
  // What is decoded for some functions has to be what the whole has for them.
  size_t expected = 0;
  std::vector<probe::Frame> frames;
  for (const auto& node : all.nodes()) {
    if (node.is_inlined()) continue;
    size_t at = static_cast<size_t>(&node - all.nodes().data());
    for (size_t i = at; i < node.subtree_end; ++i)
      if (node.guid % 3 == 0) expected += all.nodes()[i].probe_count;
  }
  if (expected != third.probes().size()) std::abort();
  for (const auto& one : third.probes())
    if (third.at(one.address).empty()) std::abort();
  // Going through the whole section finds no less, and takes no more than it may.
  probe::AddressIndex::Part part{in.rest(), some};
  auto index = probe::AddressIndex::build({&part, 1}, 0);
  if (index.memory() > 4 * size) std::abort();
  if (index.entries().size() + index.outside() < all.probes().size()) std::abort();
  std::vector<probe::AddressIndex::Frame> listed;
  for (auto entry : index.entries().first(std::min<size_t>(index.entries().size(), 100)))
    index.append_context(entry, listed);
  probe::Stats stats;
  bool whole = !stats.add(in.rest(), some);
  stats.finish(table.descriptors());
  if (whole == table.truncated()) std::abort();
  if (whole && stats.probes() != all.probes().size()) std::abort();
  if (!all.probes().empty()) all.append_context(all.probes().back(), true, frames);
  return 0;
}
