#include "analysis/llvm_order.h"

#include "profile/model/llvm_hash.h"

namespace pgokit::analysis {
namespace {

using profile::Columns;

u64 key(const Columns& columns, const Columns::Top& top, std::vector<u64>& words) {
  if (top.frames == 0) return columns.guid(columns.node(top).name);
  words.clear();
  for (const auto& [function, location] : columns.context(top)) {
    u64 place = u64{location.discriminator} << 32 | location.line_offset;
    words.push_back(columns.guid(function) + (place << 5) + place);
  }
  return profile::llvm_hash(words);
}

}  // namespace

std::vector<u32> llvm_order(const Columns& columns) {
  std::vector<u64> words;
  std::vector<u64> keys;
  for (const auto& top : columns.functions) keys.push_back(key(columns, top, words));
  return profile::llvm_table_order(keys);
}

}  // namespace pgokit::analysis
