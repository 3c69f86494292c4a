#include "isa/formatter.h"

#include <elf.h>

#include "isa/machines.h"

namespace pgokit::isa {

Formatter::Formatter(Decoder decoder, std::unique_ptr<Printer> printer)
    : decoder_(decoder), printer_(std::move(printer)) {}
Formatter::Formatter(Formatter&&) noexcept = default;
Formatter& Formatter::operator=(Formatter&&) noexcept = default;
Formatter::~Formatter() = default;

namespace {

std::unique_ptr<Formatter::Printer> printer_of(Machine machine, Syntax syntax) {
  switch (machine.elf) {
    case EM_AARCH64:
      return aarch64_printer();
    case EM_ARM:
      return arm_printer();
    case EM_386:
      return i386_printer(syntax);
    case EM_RISCV:
      return machine.address_size == 4 ? riscv32_printer() : riscv64_printer();
    default:
      return x86_printer(syntax);
  }
}

}  // namespace

Result<Formatter> Formatter::for_machine(Machine machine, Syntax syntax, LockPrefix lock) {
  Decoder decoder = TRY(Decoder::for_machine(machine, lock));
  auto printer = printer_of(machine, syntax);
  if (!printer)
    return fail(
        "code of AArch64 and Arm is printed by Capstone, which is missing: install libcapstone4");
  return Formatter(decoder, std::move(printer));
}

Printed Formatter::append(Bytes code, u64 address, std::string& text, Mode mode) const {
  Printed printed{
      .instruction = decoder_.decode(code, address, mode), .reference = {}, .mode = mode};
  if (!printed.instruction.ok()) return printed;
  printer_->append(code.first(printed.instruction.length), address, printed, text);
  return printed;
}

}  // namespace pgokit::isa
