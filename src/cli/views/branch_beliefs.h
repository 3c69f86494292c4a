#pragma once

// Branches that the compiler held for other than they were measured, on a screen and as JSON.

#include <string>

#include "analysis/explanation.h"
#include "annotate/branch_beliefs.h"
#include "report/json.h"

namespace pgokit::cli {

struct BeliefsView {
  const annotate::BranchBeliefs* told = nullptr;
  const analysis::Explanation* explanation = nullptr;  // for what became of whole functions
  std::string measure;                                 // the file that tells how branches ran
  bool by_counts = false;                              // it is a recording of the program itself
  u64 top = 0;                                         // branches that are shown; 0: all
  std::string function;                                // only of functions with this in their name
  bool mangled = false;
};

// Empty where no branch could be judged.
std::string beliefs_text(const BeliefsView& view);
report::Json beliefs_json(const BeliefsView& view);

}  // namespace pgokit::cli
