#pragma once

// `pgokit show` and `pgokit export` of what instrumented programs found out.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "instrument/module.h"

namespace pgokit::cli {

struct ShowInstrumented {
  // With debug information, for places in source files; of a recording or a dump one at most.
  std::vector<std::string> programs;
  std::string function;              // this one in full
  std::set<std::string_view> meant;  // linkage names of `function`
  std::string source;                // annotate files whose name ends so
  bool never = false, order = false, edges = false, all = false, mangled = false;
  bool targets = false, ids = false;
  std::optional<u32> top;  // of each list; 0: all; not given: 10 of the hottest, else all
  std::string program() const { return programs.empty() ? "" : programs.front(); }
  u64 most_hot() const { return top.value_or(10); }
  u64 most_listed() const { return top.value_or(0); }
  u64 per_site = 3;  // values of a site
};

// What is in a profile, a map, or a program with its map.
Result<instrument::Profile> profile_or_map(Bytes bytes);

// Targets of a recording's indirect calls.
Status show_recorded_targets(const std::string& path, const ShowInstrumented& options, bool json);
Status show_instrumented(const MappedFile& file, const ShowInstrumented& options, bool json);

}  // namespace pgokit::cli
