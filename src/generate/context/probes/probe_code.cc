#include "generate/context/probes/probe_code.h"

#include <algorithm>

namespace pgokit::generate {
namespace {

using program::CodeIndex;

// For each block of code the first entry that is not in a block before it.
template <class Entry>
std::vector<u32> first_of_blocks(const std::vector<Entry>& entries, u64 code_size, unsigned bits) {
  std::vector<u32> first((code_size >> bits) + 1);
  u32 entry = 0;
  for (size_t block = 0; block < first.size(); ++block) {
    while (entry < entries.size() && static_cast<u32>(entries[entry].at) >> bits < block) ++entry;
    first[block] = entry;
  }
  return first;
}

}  // namespace

ProbeCode::ProbeCode(const program::Program& program, const CodeFunctions& functions,
                     const probe::Decoded& decoded) {
  const auto& code = program.code();
  auto slot_of_probe = number_slots(decoded);
  for (u32 i = 0; i < decoded.probes().size(); ++i) {
    const auto& probe = decoded.probes()[i];
    auto at = code.index_of({probe.address});
    if (at == program::no_code || !code.is_instruction(at)) continue;
    u32 function = functions.at(at);
    if (probe.is_block()) hits_.push_back({at, slot_of_probe[i], probe.node, function});
    if (probe.is_call() && (calls_.empty() || calls_.back().at != at))
      calls_.push_back({at, probe.node, probe.index, probe.discriminator, function});
  }
  first_hit_ = first_of_blocks(hits_, code.size(), block_bits);
  first_call_ = first_of_blocks(calls_, code.size(), block_bits);
}

std::vector<u32> ProbeCode::number_slots(const probe::Decoded& decoded) {
  const auto& probes = decoded.probes();
  std::vector<u32> slot_of_probe(probes.size()), own;
  for (const auto& node : decoded.nodes()) {
    auto first = static_cast<u32>(locations_.size());
    auto of_node = decoded.probes_of(node);
    own.assign(of_node.begin(), of_node.end());
    auto location = [&](u32 i) {
      return profile::LineLocation{probes[i].index, probes[i].discriminator};
    };
    std::ranges::sort(own, {}, location);
    for (u32 i : own) {
      bool is_new = first == locations_.size() || locations_.back() != location(i);
      if (is_new) locations_.push_back(location(i));
      slot_of_probe[i] = static_cast<u32>(locations_.size() - 1);
    }
    slots_.push_back(slots_from(first));
  }
  slots_.push_back({static_cast<u32>(locations_.size())});
  return slot_of_probe;
}

// Of a node that has all from this one on.
ProbeCode::Slots ProbeCode::slots_from(u32 first) const {
  Slots slots{.first = first, .first_entry = first};
  auto line = [&](u32 slot) {
    return slot < locations_.size() ? locations_[slot].line_offset : ~u32{0};
  };
  while (line(slots.first_entry) < 1) ++slots.first_entry;
  slots.end_entry = slots.first_entry;
  while (line(slots.end_entry) == 1) ++slots.end_entry;
  return slots;
}

std::span<const ProbeCode::Hit> ProbeCode::in(CodeIndex first, CodeIndex last) const {
  u32 from = first_hit_[block_of(first)];
  while (from < hits_.size() && hits_[from].at < first) ++from;
  u32 to = from;
  while (to < hits_.size() && hits_[to].at <= last) ++to;
  return std::span(hits_).subspan(from, to - from);
}

const ProbeCode::Call* ProbeCode::call(CodeIndex at) const {
  u32 i = first_call_[block_of(at)];
  while (i < calls_.size() && calls_[i].at < at) ++i;
  return i < calls_.size() && calls_[i].at == at ? &calls_[i] : nullptr;
}

}  // namespace pgokit::generate
