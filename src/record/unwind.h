#pragma once

// The call chain of a stopped thread.
//
//   Unwinder unwinder;
//   unwinder.chain(space, regs, chain);          // leaf first: rip, then return addresses
//
// Every return address lies behind a call instruction.

#include <vector>

#include "record/address_space.h"
#include "record/ptrace.h"

namespace pgokit::record {

class Unwinder {
 public:
  void chain(AddressSpace& space, const Registers& regs, std::vector<u64>& chain);

 private:
  bool word(AddressSpace& space, u64 address, u64& value);

  u64 stack_at_ = 0;
  std::vector<u8> stack_;  // a copy of the piece in use
};

// Whether the instruction before `address` is a call.
bool is_return_address(AddressSpace& space, u64 address);

}  // namespace pgokit::record
