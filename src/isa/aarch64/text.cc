// The text of AArch64 instructions by Capstone. Version 4, which Debian 12 has, ends with Armv8.2
// and some of 8.3; what it does not know is printed as a word of data, as assemblers accept it.
//
// The library is loaded when AArch64 code is printed for the first time: linked in the usual way it
// made every start of the program 1.4 ms slower (3.1 against 1.7 ms), because of the relocations in
// its tables.

#include <capstone/capstone.h>
#include <dlfcn.h>

#include "base/cursor.h"
#include "isa/machines.h"

namespace pgokit::isa {
namespace {

struct Capstone {
  decltype(&cs_open) open = nullptr;
  decltype(&cs_close) close = nullptr;
  decltype(&cs_malloc) malloc = nullptr;
  decltype(&cs_free) free = nullptr;
  decltype(&cs_disasm_iter) disassemble = nullptr;

  // Stays loaded until the program ends.
  static const Capstone& library() {
    static const Capstone loaded = load();
    return loaded;
  }
  bool ok() const { return open && close && malloc && free && disassemble; }

 private:
  static Capstone load() {
    Capstone out;
    void* handle = dlopen("libcapstone.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return out;
    auto get = [&]<class F>(F& function, const char* name) {
      function = reinterpret_cast<F>(dlsym(handle, name));
    };
    get(out.open, "cs_open");
    get(out.close, "cs_close");
    get(out.malloc, "cs_malloc");
    get(out.free, "cs_free");
    get(out.disassemble, "cs_disasm_iter");
    return out;
  }
};

class AArch64Printer : public Formatter::Printer {
 public:
  AArch64Printer() = default;
  AArch64Printer(const AArch64Printer&) = delete;
  AArch64Printer& operator=(const AArch64Printer&) = delete;
  ~AArch64Printer() override {
    if (instruction_) library_.free(instruction_, 1);
    if (engine_) library_.close(&engine_);
  }

  bool start() {
    if (!library_.ok()) return false;
    if (library_.open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &engine_) != CS_ERR_OK) return false;
    instruction_ = library_.malloc(engine_);
    return instruction_ != nullptr;
  }

  void append(Bytes code, u64 address, Printed& printed, std::string& text) const override {
    const u8* at = code.data();
    size_t left = code.size();
    u64 next = address;
    u32 word = Cursor(code).get<u32>();
    if (!library_.disassemble(engine_, &at, &left, &next, instruction_)) {
      text += fmt::format(".inst\t{:#010x}", word);
      return;
    }
    text += instruction_->mnemonic;
    std::string_view operands = instruction_->op_str;
    if (!operands.empty()) text += '\t';
    // A target is an address, not a number.
    if (size_t hash = operands.rfind("#0x");
        printed.instruction.has_target && hash != std::string_view::npos) {
      text += operands.substr(0, hash);
      operands.remove_prefix(hash + 1);
    }
    text += operands;
    if ((word & 0x1f000000) == 0x10000000) printed.reference = relative(word, address);
  }

 private:
  // adr and adrp.
  static u64 relative(u32 word, u64 address) {
    u64 value = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
    value = (value ^ 0x100000) - 0x100000;
    return word >> 31 ? (address & ~u64{0xfff}) + (value << 12) : address + value;
  }

  const Capstone& library_ = Capstone::library();
  csh engine_ = 0;
  cs_insn* instruction_ = nullptr;
};

}  // namespace

std::unique_ptr<Formatter::Printer> aarch64_printer() {
  auto printer = std::make_unique<AArch64Printer>();
  if (!printer->start()) return nullptr;
  return printer;
}

}  // namespace pgokit::isa
