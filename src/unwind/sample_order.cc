#include "unwind/sample_order.h"

#include <algorithm>
#include <unordered_map>

namespace pgokit::unwind {
namespace {

struct LlvmKey {
  u64 identity, hash;
  bool operator==(const LlvmKey& other) const { return identity == other.identity; }
};
struct LlvmKeyHash {
  size_t operator()(const LlvmKey& key) const { return key.hash; }
};

}  // namespace

std::vector<std::vector<u32>> llvm_order(const std::vector<std::vector<NotedSample>>& samples) {
  struct Entry {
    u64 place;
    u32 list, number;
  };
  std::vector<Entry> entries;
  for (u32 list = 0; list < samples.size(); ++list)
    for (u32 i = 0; i < samples[list].size(); ++i)
      entries.push_back({samples[list][i].place, list, i});
  std::ranges::sort(entries, {}, &Entry::place);

  // The order of iteration of the standard library's own table, filled in the same order.
  std::unordered_map<LlvmKey, u32, LlvmKeyHash> table;
  for (const auto& entry : entries) {
    const auto& sample = samples[entry.list][entry.number];
    table.try_emplace({sample.identity, sample.llvm_hash}, 0);
  }
  u32 next = 0;
  for (auto& [key, order] : table) order = next++;

  std::vector<std::vector<u32>> result(samples.size());
  for (u32 list = 0; list < samples.size(); ++list)
    for (const auto& sample : samples[list])
      result[list].push_back(table.find({sample.identity, sample.llvm_hash})->second);
  return result;
}

}  // namespace pgokit::unwind
