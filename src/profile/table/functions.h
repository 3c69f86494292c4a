#pragma once

// The functions of a binary profile into columns.

#include "profile/table/columns.h"

namespace pgokit::profile {

struct ContextFrames {
  u32 first = 0, count = 0;  // of Columns::frames
};

// What the numbers in a file stand for.
struct FunctionNumbers {
  std::span<const u32> names;
  std::span<const ContextFrames> contexts;
  std::span<const Columns::Frame> frames;
  bool context_sensitive = false;
  bool vtables = false;
};

// False: broken, or not in the order that Columns has. `bytes` are whole functions. What was in
// `part` goes, and it keeps room for more than there is.
bool read_function_columns(Bytes bytes, const FunctionNumbers& numbers, Columns::Part& part,
                           std::vector<Columns::Top>& tops);

}  // namespace pgokit::profile
