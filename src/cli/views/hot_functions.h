#pragma once

// `pgokit report --text`: the hottest functions as a table.

#include <string>

#include "annotate/function_list.h"
#include "report/json.h"

namespace pgokit::cli {

struct HotFunctionsView {
  u64 top = 20;  // 0: all
  bool mangled = false;
};

std::string hot_functions_text(const annotate::FunctionList& list, const HotFunctionsView& view);
report::Json hot_functions_json(const annotate::FunctionList& list);

}  // namespace pgokit::cli
