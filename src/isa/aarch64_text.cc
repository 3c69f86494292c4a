// The text of AArch64 instructions by Capstone. Version 4, which Debian 12 has, ends with Armv8.2
// and some of 8.3; what it does not know is printed as a word of data, as assemblers accept it.

#include <capstone/capstone.h>

#include "base/cursor.h"
#include "isa/machines.h"

namespace pgokit::isa {
namespace {

class AArch64Printer : public Formatter::Printer {
 public:
  AArch64Printer() { open_ = cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &engine_) == CS_ERR_OK; }
  AArch64Printer(const AArch64Printer&) = delete;
  AArch64Printer& operator=(const AArch64Printer&) = delete;
  ~AArch64Printer() override {
    if (instruction_) cs_free(instruction_, 1);
    if (open_) cs_close(&engine_);
  }

  bool start() { return open_ && (instruction_ = cs_malloc(engine_)); }

  void append(Bytes code, u64 address, Printed& printed, std::string& text) const override {
    const u8* at = code.data();
    size_t left = code.size();
    u64 next = address;
    u32 word = Cursor(code).get<u32>();
    if (!cs_disasm_iter(engine_, &at, &left, &next, instruction_)) {
      text += fmt::format(".inst\t{:#010x}", word);
      return;
    }
    text += instruction_->mnemonic;
    if (instruction_->op_str[0]) text.append("\t").append(instruction_->op_str);
    if ((word & 0x1f000000) == 0x10000000) printed.reference = relative(word, address);
  }

 private:
  // adr and adrp.
  static u64 relative(u32 word, u64 address) {
    u64 value = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
    value = (value ^ 0x100000) - 0x100000;
    return word >> 31 ? (address & ~u64{0xfff}) + (value << 12) : address + value;
  }

  csh engine_ = 0;
  cs_insn* instruction_ = nullptr;
  bool open_ = false;
};

}  // namespace

std::unique_ptr<Formatter::Printer> aarch64_printer() {
  auto printer = std::make_unique<AArch64Printer>();
  if (!printer->start()) return nullptr;
  return printer;
}

}  // namespace pgokit::isa
