// Pieces of the text that the plugin gives to the assembler: names, bytes, addresses, and the parts
// that sections of Mach-O consist of.
#pragma once
#include <string>

#include "llvm/IR/DataLayout.h"
#include "runtime/mip_format.h"

namespace pgokit::plugin {

// Where the raw section begins, for ELF.
inline constexpr char raw_start[] = "__start_" MIP_RAW_SECTION;

bool is_plain(llvm::StringRef symbol);  // needs no quotes
std::string quoted(llvm::StringRef symbol);
std::string as_string(llvm::StringRef bytes);  // between the quotes of .ascii

// Fields of 64 bits, counted from `base` if there is one.
std::string addresses_of(const llvm::DataLayout& layout, llvm::ArrayRef<std::string> fields,
                         const std::string& base = "");

// Of Mach-O: of the definitions of a symbol in several files the linker keeps one.
std::string weak(llvm::StringRef label);
// Enters a section of Mach-O, for a part of it that begins with `label`, which is to be set: what
// the linker keeps or drops as a whole.
std::string begin_part(llvm::StringRef section, llvm::StringRef label, bool is_weak);

}  // namespace pgokit::plugin
