#include "instr_profile/memory/memory_profile.h"

#include <algorithm>
#include <bit>

#include "base/blake3.h"
#include "base/cursor.h"

namespace pgokit::instr_profile {

namespace field = memory_field_number;

u64 MemoryFrame::id() const {
  struct {
    Le<u64> function;
    Le<u32> line, column;
    u8 inlined;
  } const packed = {function, line, column, inlined};
  static_assert(sizeof packed == 17);
  return blake3_u64({reinterpret_cast<const u8*>(&packed), sizeof packed});
}

u32 StackTree::add(u32 parent, u32 frame) {
  auto [at, added] = children_.emplace(u64{parent} << 32 | frame, static_cast<u32>(nodes_.size()));
  if (added) nodes_.push_back({parent, frame, nodes_[parent].depth + 1});
  return at->second;
}

u32 StackTree::append(u32 parent, u32 frame) {
  nodes_.push_back({parent, frame, nodes_[parent].depth + 1});
  return static_cast<u32>(nodes_.size() - 1);
}

size_t MemoryProfile::FrameHash::operator()(const MemoryFrame& frame) const {
  return IntHash()(frame.function ^ (u64{frame.line} << 32 | frame.column) ^ frame.inlined);
}

u32 MemoryProfile::add_frame(const MemoryFrame& frame) {
  auto [at, added] = by_frame_.emplace(frame, static_cast<u32>(frames.size()));
  if (added) frames.push_back(frame);
  return at->second;
}

u32 MemoryProfile::add_stack(u32 node) {
  if (is_used_.size() <= node) is_used_.resize(stacks.size());
  if (!is_used_[node]) used_stacks.push_back(node);
  is_used_[node] = true;
  return node;
}

u32 MemoryProfile::record(u64 function) {
  auto [at, added] = by_function_.emplace(function, static_cast<u32>(functions.size()));
  if (added) functions.push_back(function);
  return at->second;
}

u32 MemoryProfile::add_block(u32 fields, std::span<const u64> of_fields) {
  blocks.push_back({fields, values.size()});
  values.insert(values.end(), of_fields.begin(), of_fields.end());
  return static_cast<u32>(blocks.size() - 1);
}

u64 MemoryProfile::value(u32 block, u32 number) const {
  const auto& one = blocks[block];
  u32 bit = u32{1} << number;
  if (!(one.fields & bit)) return 0;
  return values[one.first + static_cast<u32>(std::popcount(one.fields & (bit - 1)))];
}

void MemoryProfile::add(const MemoryProfile& other) {
  std::vector<u32> frame_of, node_of(other.stacks.size(), StackTree::root), record_of;
  for (const auto& frame : other.frames) frame_of.push_back(add_frame(frame));
  for (u32 node = 1; node < node_of.size(); ++node)  // parents come first
    node_of[node] =
        stacks.add(node_of[other.stacks.parent(node)], frame_of[other.stacks.frame(node)]);
  for (u32 node : other.used_stacks) add_stack(node_of[node]);
  size_t known = functions.size();
  for (u64 function : other.functions) record_of.push_back(record(function));
  auto first_block = static_cast<u32>(blocks.size());
  for (const auto& block : other.blocks)
    blocks.push_back({block.fields, block.first + values.size()});
  values.insert(values.end(), other.values.begin(), other.values.end());
  for (const auto& alloc : other.allocs)
    allocs.push_back({record_of[alloc.record], node_of[alloc.stack], alloc.block + first_block});
  auto first_callee = static_cast<u32>(callees.size());
  callees.insert(callees.end(), other.callees.begin(), other.callees.end());
  for (const auto& site : other.call_sites)
    if (record_of[site.record] >= known)
      call_sites.push_back({record_of[site.record], node_of[site.stack],
                            site.first_callee + first_callee, site.callees});
  if (accessed_data.empty()) accessed_data = other.accessed_data;
  for (const auto& [function, name] : other.names) names.emplace(function, name);
}

MemorySummary summary_of(const MemoryProfile& profile) {
  constexpr float most_accesses_of_cold = 0.05F, least_milliseconds_of_cold = 200'000;
  MemorySummary summary;
  std::vector<bool> seen(profile.stacks.size());
  for (const auto& alloc : profile.allocs) {
    if (seen[alloc.stack]) continue;
    seen[alloc.stack] = true;
    ++summary.contexts;
    auto number = [&](u32 field) { return static_cast<float>(profile.value(alloc.block, field)); };
    float count = number(field::count);
    bool cold = number(field::lifetime_density) / count / 100 < most_accesses_of_cold &&
                number(field::lifetime) / count >= least_milliseconds_of_cold;
    summary.cold += cold;
    u64& largest = cold ? summary.largest_cold : summary.largest_warm;
    largest = std::max(largest, profile.value(alloc.block, field::size));
  }
  return summary;
}

}  // namespace pgokit::instr_profile
