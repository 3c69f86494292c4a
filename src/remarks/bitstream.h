#pragma once

// Remarks as a bitstream of LLVM. A file is
//
//   "RMRK", then blocks (base/bit_reader.h has the bits; remarks/bitstream_block.h the records):
//   BLOCKINFO (0)   abbreviations for the records of the other blocks
//   META (8)        container info (1): version, kind of container; remark version (2): 0
//   REMARK (9)      header (5): kind, name, pass, function. Then any of: location (6): file, line,
//     ...           column. hotness (7). argument (8): key, value, file, line, column; or (9): key,
//     ...           value. A block per remark; texts are numbers of strings in the table
//   META (8)        string table (3): strings, each with a NUL
//
// Older LLVM has the table in the first META block. A file that is only the name of another
// (external file, 4: the section of an object file) is refused with that name.
//
// Source of truth: llvm/Remarks/BitstreamRemarkContainer.h (container version 1, LLVM 22).

#include "remarks/read.h"

namespace pgokit::remarks {

bool is_bitstream(Bytes file);
Status each_of_bitstream(Bytes file, const Visitor& visit);

}  // namespace pgokit::remarks
