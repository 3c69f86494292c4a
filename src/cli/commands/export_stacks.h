#pragma once

// `pgokit export --to FORM`: the call stacks of a recording, for viewers of profiles.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "stacks/forms.h"

namespace pgokit::cli {

struct StackSettings {
  std::string input, output;
  std::vector<std::string> programs;  // empty: those that the recording names
  std::string form, event, root;      // as given; empty: by the ending, the first, command
  std::optional<u32> pid;
  bool marks = false, addresses = false, samples = false;
};

Status export_stacks(const StackSettings& settings);

}  // namespace pgokit::cli
