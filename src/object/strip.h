#pragma once

// A linked program without what is not loaded: symbols, debug information, notes that only tools
// read. What `llvm-strip` of LLVM 22 writes, byte for byte.
//
//   auto stripped = TRY_IN(path, object::strip(image));
//   output.write(stripped);
//
// Everything that is loaded stays where it is, as far as its segments have no gaps between them in
// the file. Not for object files.
// Source of truth: llvm/lib/ObjCopy/ELF/ELFObject.cpp.

#include <string>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::object {

Result<std::string> strip(Bytes image);

}  // namespace pgokit::object
