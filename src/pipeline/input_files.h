#pragma once

// The inputs of merging, as command lines name them.
//
//   TRY(add_weighted(inputs, "3,a.prof", false));              // --weighted-input
//   TRY(add_list(inputs, "list.txt", false));                  // one [WEIGHT,]FILE per line

#include <string>
#include <vector>

#include "profile/merge/merge_files.h"

namespace pgokit::pipeline {

using Inputs = std::vector<profile::MergeInput>;

// A folder stands for the files in it, those of folders in it too, by name. What is no file (a
// device) is passed over, as llvm-profdata does, if `files_only`.
Status add_input(Inputs& inputs, const std::string& path, u64 weight, bool files_only);
// "FILE=WEIGHT", unless there is such a file; or just "FILE".
Status add_named(Inputs& inputs, const std::string& file);
Status add_weighted(Inputs& inputs, const std::string& text, bool files_only);
// Lines that are empty or begin with '#' are passed over; a folder needs a slash at its end, unless
// `files_only`. "-": standard input.
Status add_list(Inputs& inputs, const std::string& path, bool files_only);

// For sentences about all of them: "a.prof and 2 more".
std::string names_of(const Inputs& inputs);

// The functions named in a file, one per line, trimmed.
Status add_symbols(profile::Profile& profile, const std::string& path);

}  // namespace pgokit::pipeline
