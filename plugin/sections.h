// Assembly text of what the plugin adds beside code: headers, the box of a function and its map
// record.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "blocks.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "settings.h"

namespace pgokit::plugin {

struct FunctionText {
  const llvm::MachineFunction* function = nullptr;
  Settings settings;
  Graph graph;
  Counters counters;
  bool in_parts = false;  // code generation may put blocks into several sections

  std::string box() const;  // symbol of the function's box
  std::string block_label(uint32_t block) const;
  std::string end_label() const;
  bool lists_blocks() const;

  // The linker may take another definition of the same name, so that the name does not mean this
  // code. Then block 0 has a label too.
  bool may_be_replaced() const;
  std::string address() const;

  // The box with its first values, and the map record.
  std::string raw() const;
  std::string map() const;
};

// Both headers, and for MIP_EDGES the buffer: once per linked program, whichever module comes
// first.
std::string headers_text(const llvm::Module& module, uint32_t kinds);

}  // namespace pgokit::plugin
