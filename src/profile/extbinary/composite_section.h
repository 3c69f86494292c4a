#pragma once

// The functions section of version 105, of LLVM after 22: of each function one block for each kind
// of data, of which there is one so far, the counts.
//
//   name or context, n, n × (kind, size, block)         counts: head, function
//
//   auto plain = TRY(read_composite(in));
//   use(plain.bytes);                                   // a functions section as before
//   for (size_t end : plain.ends) use(end);             // where in it each function ends
//
// Source of truth: LLVM's tests of such files, and what its documents say; no released LLVM writes
// them.

#include <string>
#include <vector>

#include "base/cursor.h"
#include "base/result.h"

namespace pgokit::profile {

struct PlainFunctions {
  std::string bytes;
  std::vector<size_t> ends;
  std::vector<u64> unknown_kinds;  // that were passed over, each once, and only the first few
};

Result<PlainFunctions> read_composite(Cursor& in);

}  // namespace pgokit::profile
