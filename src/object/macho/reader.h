#pragma once

// Mach-O of one machine, little-endian: programs, dynamic libraries, relocatable objects, and the
// files with debug information that dsymutil makes.
//
//   auto reader = TRY(object::macho::read(image));
//   use(reader->view().sections, reader->symbols());
//
// Sections with debug information have the names that they have elsewhere (__debug_info of __DWARF
// is .debug_info, and what is cut off at 16 characters is whole), others their own. Relocations are
// not read: nothing that needs them is in such files. Symbols have no sizes: each reaches to the next
// one. Nothing is allocated by a count taken from the file. Source of truth:
// llvm/BinaryFormat/MachO.h.

#include <memory>

#include "base/result.h"
#include "object/model/view.h"

namespace pgokit::object::macho {

// Also of universal files, which read() refuses.
bool recognizes(Bytes image);
Result<std::unique_ptr<Reader>> read(Bytes image);

}  // namespace pgokit::object::macho
