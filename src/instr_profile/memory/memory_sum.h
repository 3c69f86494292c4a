#pragma once

// The memory profiles of several files as one.
//
//   MemorySum sum;
//   TRY(sum.add(facts.memory));                          // of an indexed file
//   TRY(sum.add(TRY(program.profile_of(raw, false))));   // of a raw one
//   profile.memory = TRY(std::move(sum).finish({}));
//
// One of an indexed file that is alone stays as it is, byte for byte, unless another form is wanted.

#include <optional>

#include "instr_profile/memory/write_memory.h"
#include "instr_profile/model/memory_section.h"
#include "instr_profile/model/profile.h"

namespace pgokit::instr_profile {

// What is not given is that of the file where there is one alone, and otherwise llvm-profdata's.
struct MemoryFormWanted {
  std::optional<u64> version = {};
  bool all_fields = false;
};

class MemorySum {
 public:
  // Nothing of one that cannot be added is.
  Status add(const MemorySection& section);
  Status add(const MemoryProfile& profile);
  bool any() const { return any_; }  // though they may be empty
  bool empty() const { return alone_.is_empty && (!sum_ || sum_->empty()); }

  Result<Profile::Memory> finish(const MemoryFormWanted& wanted) &&;

 private:
  Status read_alone();

  bool any_ = false;
  Profile::Memory alone_;  // while nothing else was added
  std::optional<MemoryProfile> sum_;
};

}  // namespace pgokit::instr_profile
