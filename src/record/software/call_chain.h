#pragma once

// The call chain of a stopped thread.
//
//   ChainUnwinder unwinder;
//   bool sure = unwinder.chain(space, regs, chain);    // leaf first: rip, then return addresses
//
// Frames are found by the unwind tables of the mapped files, else by frame pointers. Every return
// address of a chain lies behind a call instruction; a chain ends where that would not be so.

#include <tsl/robin_map.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "dwarf/cfi.h"
#include "record/software/address_space.h"
#include "record/x86/registers.h"

namespace pgokit::record {

class ChainUnwinder {
 public:
  // True: by a table at the leaf, so that its caller is right in prologues too. By frame pointers it
  // would be left out there.
  bool chain(AddressSpace& space, const Registers& regs, std::vector<u64>& chain);

  // The same, with the stack pointer that each frame has.
  struct ChainFrame {
    u64 pc, stack;
  };
  bool frames(AddressSpace& space, const Registers& regs, size_t most,
              std::vector<ChainFrame>& frames);

 private:
  // A mapped file, kept open for its tables.
  struct Module {
    std::optional<MappedFile> file;
    std::vector<u8> copy;  // of the vdso
    std::optional<object::File> elf;
    std::optional<dwarf::CfiTable> table;
    tsl::robin_map<u64, std::optional<dwarf::CfiRow>> rows;  // by address in the file
  };
  struct Frame {
    u64 pc = 0;
    std::array<u64, dwarf::CfiRow::registers> value{};
  };

  Module& module_of(AddressSpace& space, const Mapping& mapping);
  const dwarf::CfiRow* row_at(AddressSpace& space, u64 pc);
  bool step(AddressSpace& space, Frame& frame, bool leaf);
  bool step_by_table(AddressSpace& space, const dwarf::CfiRow& row, Frame& frame);
  bool step_by_frame_pointer(AddressSpace& space, Frame& frame);
  bool word(AddressSpace& space, u64 address, u64& value);

  tsl::robin_map<std::string, std::unique_ptr<Module>> modules_;
  std::vector<ChainFrame> frames_;
  u64 stack_at_ = 0;
  std::vector<u8> stack_;  // a copy of the piece in use
};

// Whether the instruction before `address` is a call.
bool is_return_address(AddressSpace& space, u64 address);

}  // namespace pgokit::record
