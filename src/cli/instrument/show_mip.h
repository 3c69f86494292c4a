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
  bool targets = false;
  u64 top = 10;
  u64 per_site = 3;  // values of a site
};

// A profile, map or dump of an instrumented program.
bool is_instrumented_data(Bytes bytes);
// Targets of a recording's indirect calls.
Status show_recorded_targets(const std::string& path, const ShowInstrumented& options, bool json);
Status show_instrumented(const MappedFile& file, const ShowInstrumented& options, bool json);

}  // namespace pgokit::cli
