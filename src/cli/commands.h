#pragma once

#include "cli/command.h"

namespace pgokit::cli {

extern const Command show_command;

inline constexpr const Command* commands[] = {&show_command};

}  // namespace pgokit::cli
