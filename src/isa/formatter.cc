#include "isa/formatter.h"

#include <elf.h>

#include "isa/machines.h"

namespace pgokit::isa {

Formatter::Formatter(Decoder decoder, std::unique_ptr<Printer> printer)
    : decoder_(decoder), printer_(std::move(printer)) {}
Formatter::Formatter(Formatter&&) noexcept = default;
Formatter& Formatter::operator=(Formatter&&) noexcept = default;
Formatter::~Formatter() = default;

Result<Formatter> Formatter::for_machine(u16 e_machine, Syntax syntax, LockPrefix lock) {
  Decoder decoder = TRY(Decoder::for_machine(e_machine, lock));
  auto printer = e_machine == EM_AARCH64 ? aarch64_printer()
                 : e_machine == EM_386   ? i386_printer(syntax)
                 : e_machine == EM_RISCV ? riscv_printer()
                                         : x86_printer(syntax);
  if (!printer)
    return fail("AArch64 code is printed by Capstone, which is missing: install libcapstone4");
  return Formatter(decoder, std::move(printer));
}

Printed Formatter::append(Bytes code, u64 address, std::string& text) const {
  Printed printed;
  printed.instruction = decoder_.decode(code, address);
  if (!printed.instruction.ok()) return printed;
  printer_->append(code.first(printed.instruction.length), address, printed, text);
  return printed;
}

}  // namespace pgokit::isa
