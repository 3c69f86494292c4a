#pragma once

// `pgokit show` and `pgokit export` of what instrumented programs found out.

#include <string>

#include "base/file.h"
#include "base/result.h"

namespace pgokit::cli {

struct ShowInstrumented {
  std::string program;   // with debug information, for places in source files
  std::string function;  // this one in full
  std::string source;    // annotate files whose name ends so
  bool never = false, order = false, edges = false, all = false, demangle = false;
  u64 top = 10;
};

// A profile, map or dump of an instrumented program.
bool is_instrumented_data(Bytes bytes);
Status show_instrumented(const MappedFile& file, const ShowInstrumented& options, bool json);

}  // namespace pgokit::cli
