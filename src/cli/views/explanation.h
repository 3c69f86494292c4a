#pragma once

// What became of a profile in a build, on a screen and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "analysis/explanation.h"
#include "cli/views/branch_beliefs.h"
#include "pipeline/road.h"

namespace pgokit::cli {

struct ExplanationView {
  std::string profile;
  std::vector<std::string> programs;
  const profile::Profile* model = nullptr;
  std::vector<const program::ProgramFacts*> facts = {};  // of each program
  const analysis::Explanation* told = nullptr;
  const analysis::Compiled* compiled = nullptr;
  std::vector<std::string> remarks;  // files that were read
  double density = 0;
  u64 top = 0;           // functions that are shown; 0: all
  std::string function;  // only those whose name has this in it; empty: all
  bool mangled = false;
  const pipeline::Road* profiled = nullptr;  // the way from a recording to counts; null: none
  std::optional<BeliefsView> branches = {};
};

// The functions that are shown.
std::vector<const analysis::ExplainedFunction*> shown_functions(const ExplanationView& view);

std::string explanation_text(const ExplanationView& view);
std::string explanation_json(const ExplanationView& view);

}  // namespace pgokit::cli
