#pragma once

// Raw counts add up to raw counts: the part of `pgokit merge` for them.

#include "pipeline/input_files.h"

namespace pgokit::cli {

struct MergeRaw {
  std::string output;
  bool strict = false;
  bool quiet = false;
};

// Whether the first input that can be opened and is no standard input holds raw counts.
bool are_raw_counts(const pipeline::Inputs& inputs);

// The exit code: 0, or 3 where inputs were left out.
Result<int> merge_raw(const pipeline::Inputs& inputs, const MergeRaw& options);

}  // namespace pgokit::cli
