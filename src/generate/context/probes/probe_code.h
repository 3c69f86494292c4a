#pragma once

// Decoded probes laid out for counting: which places of the inline forest a range of code runs
// through, and the call at an address.
//
//   ProbeCode code(program, decoded);
//   for (const auto& hit : code.in(first, last)) counts[hit.slot] += times;
//   for (u32 slot = code.first_slot(node); slot < code.end_slot(node); ++slot) ...
//
// A slot is a probe (index and discriminator) of one node of the inline forest: copies of a probe
// in the code of one node share it. The slots of a node stand together, ascending by location.

#include <span>
#include <vector>

#include "probe/table.h"
#include "profile/model/function_samples.h"
#include "program/program.h"

namespace pgokit::generate {

class ProbeCode {
 public:
  struct Hit {
    program::CodeIndex at;
    u32 slot;
    u32 node;
  };

  ProbeCode(const program::Program& program, const probe::Decoded& decoded);

  // The block probes from one instruction to another, by address.
  std::span<const Hit> in(program::CodeIndex first, program::CodeIndex last) const;
  // The first call probe at an instruction; null: none.
  const probe::Probe* call(program::CodeIndex at) const;
  // For those who know which places they will ask for: first where the entry is, then the entry.
  void prefetch_place(program::CodeIndex first) const {
    __builtin_prefetch(&first_hit_[block_of(first)]);
  }
  void prefetch_hits(program::CodeIndex first) const {
    __builtin_prefetch(hits_.data() + first_hit_[block_of(first)]);
  }
  void prefetch_call_place(program::CodeIndex at) const {
    __builtin_prefetch(&first_call_[block_of(at)]);
  }
  void prefetch_call(program::CodeIndex at) const {
    __builtin_prefetch(calls_.data() + first_call_[block_of(at)]);
  }

  size_t slots() const { return locations_.size(); }
  u32 first_slot(u32 node) const { return first_slot_[node]; }
  u32 end_slot(u32 node) const { return first_slot_[node + 1]; }
  profile::LineLocation location(u32 slot) const { return locations_[slot]; }

 private:
  static constexpr unsigned block_bits = 5;
  static u32 block_of(program::CodeIndex at) { return static_cast<u32>(at) >> block_bits; }
  struct Call {
    program::CodeIndex at;
    u32 probe;
  };
  void number_slots(const probe::Decoded& decoded, std::vector<u32>& slot_of_probe);

  const std::vector<probe::Probe>& probes_;
  std::vector<Hit> hits_;
  std::vector<Call> calls_;
  std::vector<u32> first_hit_, first_call_;  // of each block of code
  std::vector<u32> first_slot_;              // of each node; one more
  std::vector<profile::LineLocation> locations_;
};

}  // namespace pgokit::generate
