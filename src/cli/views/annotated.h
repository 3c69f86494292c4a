#pragma once

// `pgokit report --annotate`: one function's source and machine code with counts, probes and
// remarks.

#include <string>

#include "annotate/function_code.h"
#include "annotate/function_list.h"
#include "annotate/function_remarks.h"
#include "report/json.h"

namespace pgokit::cli {

struct AnnotatedView {
  const program::Program* program = nullptr;
  const annotate::FunctionList* list = nullptr;
  const annotate::ListedFunction* listed = nullptr;  // the function's row in it
  const annotate::FunctionCode* code = nullptr;
  const annotate::FunctionRemarks* remarks = nullptr;  // null: none were given
  bool mangled = false;
};

std::string annotated_text(const AnnotatedView& view);
report::Json annotated_json(const AnnotatedView& view);

}  // namespace pgokit::cli
