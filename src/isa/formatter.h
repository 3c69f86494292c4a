#pragma once

// The text of machine instructions (x86 by Zydis, AArch64 and Arm by Capstone, RISC-V).
//
//   auto formatter = TRY(isa::Formatter::for_machine(EM_X86_64, isa::Syntax::att, lock));
//   std::string text;
//   isa::Printed one = formatter.append(code, address, text);   // "movq\t%rsp, %rbp"
//   at += one.step();
//
// Mnemonic and operands are parted by a tab. Addresses that an instruction names (branch targets
// and places relative to the instruction) are printed as numbers and told in the result, so that
// the caller can add names. The words of x86-64 are those of LLVM, but for what docs/probes.md lists.
// Instructions begin and end where Decoder says with the same LockPrefix. A Formatter is for
// one thread.

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/types.h"
#include "isa/decoder.h"

namespace pgokit::isa {

enum class Syntax : u8 { att, intel };  // of x86; others have one

struct Printed {
  Instruction instruction;       // what Decoder says of it
  std::optional<u64> reference;  // an address that it names but does not branch to
  Mode mode = Mode::usual;       // the one that was asked for

  size_t step() const { return instruction.step(); }
};

class Formatter {
 public:
  // Fails for a machine other than EM_X86_64, EM_386, EM_AARCH64, EM_ARM and EM_RISCV.
  static Result<Formatter> for_machine(Machine machine, Syntax syntax, LockPrefix lock);
  Formatter(Formatter&&) noexcept;
  Formatter& operator=(Formatter&&) noexcept;
  ~Formatter();

  // Adds the instruction at the start of `code` to `text`; nothing where the bytes are none.
  Printed append(Bytes code, u64 address, std::string& text, Mode mode = Mode::usual) const;

  // What stands behind append(), for each machine.
  class Printer {
   public:
    virtual ~Printer() = default;
    // The text of an instruction of which Decoder gave length and flow.
    virtual void append(Bytes code, u64 address, Printed& printed, std::string& text) const = 0;
  };

 private:
  Formatter(Decoder decoder, std::unique_ptr<Printer> printer);

  Decoder decoder_;
  std::unique_ptr<Printer> printer_;
};

}  // namespace pgokit::isa
