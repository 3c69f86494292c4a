#pragma once

// Capstone for one machine, loaded when code is printed by it for the first time: linked in the
// usual way it made every start of the program 1.4 ms slower (3.1 against 1.7 ms), because of the
// relocations in its tables. A static program has it inside (PGOKIT_STATIC): nothing can be loaded
// into one.
//
//   CapstoneEngine engine(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN);
//   if (!engine.ok()) return nullptr;
//   if (const cs_insn* one = engine.decode(code, address)) use(one->mnemonic, one->op_str);

#include <capstone/capstone.h>

#include "base/types.h"

namespace pgokit::isa {

class CapstoneEngine {
 public:
  // `syntax`: how Capstone is to write, for which its own default is the usual one.
  CapstoneEngine(cs_arch machine, unsigned mode, cs_opt_value syntax = CS_OPT_SYNTAX_DEFAULT);
  CapstoneEngine(const CapstoneEngine&) = delete;
  CapstoneEngine& operator=(const CapstoneEngine&) = delete;
  ~CapstoneEngine();

  // False where the library is not installed or was built without the machine.
  bool ok() const { return instruction_ != nullptr; }
  // The instruction at the start of `code`, until the next call; null where it knows none.
  const cs_insn* decode(Bytes code, u64 address) const;

 private:
  csh engine_ = 0;
  cs_insn* instruction_ = nullptr;
};

}  // namespace pgokit::isa
