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

ProbeCode::ProbeCode(const program::Program& program, const probe::Decoded& decoded)
    : probes_(decoded.probes()) {
  const auto& code = program.code();
  std::vector<u32> slot_of_probe(probes_.size());
  number_slots(decoded, slot_of_probe);
  for (u32 i = 0; i < probes_.size(); ++i) {
    const auto& probe = probes_[i];
    auto at = code.index_of({probe.address});
    if (at == program::no_code || !code.is_instruction(at)) continue;
    if (probe.is_block()) hits_.push_back({at, slot_of_probe[i], probe.node});
    if (probe.is_call() && (calls_.empty() || calls_.back().at != at)) calls_.push_back({at, i});
  }
  first_hit_ = first_of_blocks(hits_, code.size(), block_bits);
  first_call_ = first_of_blocks(calls_, code.size(), block_bits);
}

void ProbeCode::number_slots(const probe::Decoded& decoded, std::vector<u32>& slot_of_probe) {
  std::vector<u32> own;
  for (const auto& node : decoded.nodes()) {
    first_slot_.push_back(static_cast<u32>(locations_.size()));
    auto of_node = decoded.probes_of(node);
    own.assign(of_node.begin(), of_node.end());
    auto location = [&](u32 i) {
      return profile::LineLocation{probes_[i].index, probes_[i].discriminator};
    };
    std::ranges::sort(own, {}, location);
    for (u32 i : own) {
      bool is_new = first_slot_.back() == locations_.size() || locations_.back() != location(i);
      if (is_new) locations_.push_back(location(i));
      slot_of_probe[i] = static_cast<u32>(locations_.size() - 1);
    }
  }
  first_slot_.push_back(static_cast<u32>(locations_.size()));
}

std::span<const ProbeCode::Hit> ProbeCode::in(CodeIndex first, CodeIndex last) const {
  u32 from = first_hit_[block_of(first)];
  while (from < hits_.size() && hits_[from].at < first) ++from;
  u32 to = from;
  while (to < hits_.size() && hits_[to].at <= last) ++to;
  return std::span(hits_).subspan(from, to - from);
}

const probe::Probe* ProbeCode::call(CodeIndex at) const {
  u32 i = first_call_[block_of(at)];
  while (i < calls_.size() && calls_[i].at < at) ++i;
  return i < calls_.size() && calls_[i].at == at ? &probes_[calls_[i].probe] : nullptr;
}

}  // namespace pgokit::generate
