#pragma once

// Decoded probes laid out for counting: which places of the inline forest a range of code runs
// through, and the call at an address.
//
//   CodeFunctions functions(program);
//   ProbeCode code(program, functions, decoded);
//   for (const auto& hit : code.in(first, last)) counts[hit.slot] += times;
//   for (u32 slot = code.first_slot(node); slot < code.end_slot(node); ++slot) ...
//
// A slot is a probe (index and discriminator) of one node of the inline forest: copies of a probe
// in the code of one node share it. The slots of a node stand together, ascending by location.

#include <span>
#include <vector>

#include "generate/functions/code_functions.h"
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
    u32 function;  // as CodeFunctions has it
  };
  struct Call {
    program::CodeIndex at;
    u32 node;
    u32 index, discriminator;  // of the probe
    u32 function;
  };

  ProbeCode(const program::Program& program, const CodeFunctions& functions,
            const probe::Decoded& decoded);

  // The block probes from one instruction to another, by address.
  std::span<const Hit> in(program::CodeIndex first, program::CodeIndex last) const;
  // The first call probe at an instruction; null: none.
  const Call* call(program::CodeIndex at) const;
  // For those who know which places they will ask for: first where the entry is, then the entry.
  void prefetch_call_place(program::CodeIndex at) const {
    __builtin_prefetch(&first_call_[block_of(at)]);
  }
  void prefetch_call(program::CodeIndex at) const {
    __builtin_prefetch(calls_.data() + first_call_[block_of(at)]);
  }

  size_t slots() const { return locations_.size(); }
  u32 first_slot(u32 node) const { return slots_[node].first; }
  u32 end_slot(u32 node) const { return slots_[node + 1].first; }
  // Those of the entry probe are some of the first.
  u32 first_entry(u32 node) const { return slots_[node].first_entry; }
  u32 end_entry(u32 node) const { return slots_[node].end_entry; }
  profile::LineLocation location(u32 slot) const { return locations_[slot]; }

 private:
  static constexpr unsigned block_bits = 5;
  static u32 block_of(program::CodeIndex at) { return static_cast<u32>(at) >> block_bits; }
  // Of a node.
  struct Slots {
    u32 first = 0, first_entry = 0, end_entry = 0;
  };
  std::vector<u32> number_slots(const probe::Decoded& decoded);
  Slots slots_from(u32 first) const;

  std::vector<Hit> hits_;
  std::vector<Call> calls_;
  std::vector<u32> first_hit_, first_call_;  // of each block of code
  std::vector<Slots> slots_;                 // of each node; one more
  std::vector<profile::LineLocation> locations_;
};

}  // namespace pgokit::generate
