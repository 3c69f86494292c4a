#pragma once

// What the two binary forms have in common, decoded: the counterpart of function_writer.h.

#include <vector>

#include "base/cursor.h"
#include "base/result.h"
#include "profile/profile.h"

namespace pgokit::profile {

// Decodes functions behind what stands in front of them (head, name or context) and adds them to
// `samples`. Names are indexes into `names`.
class FunctionReader {
 public:
  FunctionReader(Cursor& in, std::span<const NameId> names, bool vtables)
      : in_(in), names_(names), vtables_(vtables) {}

  Status read(FunctionSamples& samples, unsigned depth = 1);
  LineLocation read_location();
  Result<NameId> read_name();

 private:
  Status read_targets(FunctionSamples& samples, LineLocation location);
  Status read_vtables(FunctionSamples& samples);

  Cursor& in_;
  std::span<const NameId> names_;
  bool vtables_;
};

// Passes over a summary: it is made anew from the functions.
void skip_summary(Cursor& in);
// n, then n texts.
std::vector<NameId> read_names(Cursor& in, NameTable& names);

}  // namespace pgokit::profile
