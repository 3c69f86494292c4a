#pragma once

// The subcommands of `pgokit probes`: each in its own cmd_probes_<name>.cc, and named here.

#include "cli/command.h"

namespace pgokit::cli {

extern const Command probes_dump_command;
extern const Command probes_stats_command;
extern const Command probes_disassemble_command;
extern const Command probes_compare_command;
extern const Command probes_lower_command;

inline constexpr const Command* probes_commands[] = {
    &probes_dump_command, &probes_stats_command, &probes_disassemble_command,
    &probes_compare_command, &probes_lower_command};

}  // namespace pgokit::cli
