#pragma once

// COFF: relocatable objects (also those with many sections, "bigobj") and PE images.
//
//   auto reader = TRY(object::coff::read(image));
//   use(reader->view().sections, reader->symbols());
//
// Addresses of images are those of the preferred image base. Section numbers of COFF count from 1,
// those of the view as well. Symbols have no sizes: each reaches to the next one. Nothing is
// allocated by a count taken from the file. Source of truth: Microsoft's "PE Format";
// llvm/BinaryFormat/COFF.h for bigobj and lld's images with symbols.

#include <memory>

#include "base/result.h"
#include "object/model/view.h"

namespace pgokit::object::coff {

// Objects have no magic number: a machine that is known, and tables that lie inside the file.
bool recognizes(Bytes image);
Result<std::unique_ptr<Reader>> read(Bytes image);

}  // namespace pgokit::object::coff
