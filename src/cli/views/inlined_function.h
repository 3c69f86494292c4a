#pragma once

// `pgokit report --annotate` of a function that was inlined everywhere: its source with the counts
// of all copies.

#include <string>

#include "annotate/function_remarks.h"
#include "annotate/inlined_lines.h"
#include "program/program.h"
#include "report/json.h"

namespace pgokit::cli {

struct InlinedView {
  const program::Program* program = nullptr;
  const annotate::InlinedFunction* inlined = nullptr;
  u64 instructions = 0;                                // of the whole program
  const annotate::FunctionRemarks* remarks = nullptr;  // null: none were given
  bool mangled = false;
};

std::string inlined_text(const InlinedView& view);
report::Json inlined_json(const InlinedView& view);

}  // namespace pgokit::cli
