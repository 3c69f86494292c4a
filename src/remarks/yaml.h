#pragma once

// Remarks as YAML. LLVM writes one form only, and that is what is read, line by line:
//
//   --- !Missed                                            a document per remark, with its kind
//   Pass:            inline                                scalars: plain, 'quoted', "escaped\n",
//   Name:            NoDefinition                          or | and lines that are indented
//   DebugLoc:        { File: a.c, Line: 3, Column: 7 }     may go on in the next lines
//   Function:        main
//   Hotness:         30
//   Args:
//     - Callee:          puts
//       DebugLoc:        { File: a.c, Line: 1, Column: 0 }
//     - String:          ' will not be inlined'
//   ...
//
// Source of truth: what clang 22 writes, and llvm/lib/Remarks/YAMLRemarkSerializer.cpp.

#include "remarks/read.h"

namespace pgokit::remarks {

bool is_yaml(Bytes file);
Status each_of_yaml(Bytes file, const Visitor& visit);

}  // namespace pgokit::remarks
