#pragma once

// `pgokit order --evaluate PROGRAM... --with LOG`: the pages that a start-up touches, from the log
// and the programs' symbols alone.

#include "cli/commands/make_order.h"

namespace pgokit::cli {

Status evaluate_order(const std::vector<std::string>& programs, const MakeOrder& options);

}  // namespace pgokit::cli
