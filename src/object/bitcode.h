#pragma once

// The symbols of LLVM bitcode, as clang writes it for links (-flto, -flto=thin, -emit-llvm): the
// table that its writer puts behind the module for linkers.
//
//   TRY(object::each_bitcode_symbol(bytes, [&](const object::BitcodeSymbol& symbol) {
//     if (symbol.is_defined && symbol.is_code) use(symbol.name);
//   }));
//
// The code itself is not read, so sizes and addresses are not known.
//
//   "BC" c0 de, then blocks in a stream of bits: the least significant bit of each byte comes first
//   block:    2 bits 1, vbr8 id, vbr4 width of abbreviations in it, to 4 bytes; u32 words; contents
//   SYMTAB (25) and STRTAB (23): one abbreviation, [literal code, blob]; one record by it:
//             id 4, vbr6 size, to 4 bytes; bytes, to 4 bytes
//   symtab:   u32 version; (u32 offset, u32 size) of: producer, modules, comdats, symbols, ...
//   symbol:   (u32 offset, u32 size) of its name in strtab, the same of its name in IR, u32 comdat,
//             u32 flags
//
// Source of truth: LLVM's Bitcode File Format, and llvm/Object/IRSymtab.h (version 3, LLVM 22).

#include <functional>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::object {

struct BitcodeSymbol {
  std::string_view name;  // as in objects
  bool is_defined = false, is_code = false, is_local = false;
};

bool is_bitcode(Bytes bytes);

Status each_bitcode_symbol(Bytes bytes, const std::function<void(const BitcodeSymbol&)>& visit);

}  // namespace pgokit::object
