#pragma once

// The commands of llvm-profdata, so that pgokit can stand in its place: one file
// profdata_<name>.cc each, and a line in this list. They print `error: what` and exit with 1
// as that tool does, and take its command line (cli/llvm/llvm_options.h).

#include "cli/command.h"

namespace pgokit::cli {

extern const Command profdata_merge_command;
extern const Command profdata_show_command;
extern const Command profdata_overlap_command;
extern const Command profdata_order_command;

inline constexpr const Command* profdata_commands[] = {
    &profdata_merge_command, &profdata_show_command, &profdata_overlap_command,
    &profdata_order_command};

// Prints `error: message` as LLVM's tools do; the exit code, 1.
int report_llvm_error(const Error& error);

}  // namespace pgokit::cli
