#pragma once

// ELF, little-endian, of 32 and 64 bits: the view, symbols and relocations of it.
//
//   auto reader = TRY(object::elf::read(image));
//   use(reader->view().sections, reader->symbols());
//
// Symbols are those of .symtab, or where there is none of .dynsym and of the file that is
// compressed in .gnu_debugdata: what distributions leave of the symbols of stripped programs,
// functions only. Nothing is allocated by a count taken from the file. Source of truth: <elf.h>,
// the System V gABI and its processor supplements; SHF_COMPRESSED, .gnu_debuglink and build ids as
// binutils write them.

#include <memory>

#include "base/result.h"
#include "object/model/view.h"

namespace pgokit::object::elf {

bool recognizes(Bytes image);
Result<std::unique_ptr<Reader>> read(Bytes image);

}  // namespace pgokit::object::elf
