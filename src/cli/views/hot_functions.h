#pragma once

// `pgokit report --text`: the hottest functions as a table, and one function's source and machine
// code with counts.

#include <string>

#include "annotate/function_code.h"
#include "annotate/function_list.h"
#include "report/json.h"

namespace pgokit::cli {

struct HotFunctionsView {
  u64 top = 20;  // 0: all
  bool mangled = false;
};

std::string hot_functions_text(const annotate::FunctionList& list, const HotFunctionsView& view);
report::Json hot_functions_json(const annotate::FunctionList& list);

// `listed`: the function's row in the list.
std::string annotated_text(const program::Program& program, const annotate::FunctionList& list,
                           const annotate::ListedFunction& listed,
                           const annotate::FunctionCode& code, bool mangled);
report::Json annotated_json(const program::Program& program, const annotate::ListedFunction& listed,
                            const annotate::FunctionCode& code);

}  // namespace pgokit::cli
