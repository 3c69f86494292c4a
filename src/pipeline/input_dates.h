#pragma once

// How old the inputs of a sum are, and what they count for that.
//
//   auto ages = TRY(weigh_by_age(inputs, 14));        // days; the weights of inputs are changed
//   for (const auto& age : ages) print(age.path, age.weight);
//
// An input is dated by the newest of its notes (profile/model/notes.h), or else by its file. Age is
// counted from the newest input, not from now: the same inputs always give the same sum.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/input_files.h"

namespace pgokit::pipeline {

// When a regular file was last written, in seconds since 1970.
std::optional<u64> file_date(const std::string& path);

struct InputAge {
  std::string path;
  u64 date = 0;          // 0: it cannot be opened
  bool by_file = false;  // it has no note
  u64 weight = 0;        // of profile::full_weight; 0: too old, and no longer among the inputs
};

// Multiplies the weights of the inputs by decayed_weight(), so that the counts of the sum are
// profile::full_weight times as large as they should be. Fails for standard input, which has no
// date.
Result<std::vector<InputAge>> weigh_by_age(Inputs& inputs, u64 half_life_days);

}  // namespace pgokit::pipeline
