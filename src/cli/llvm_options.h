#pragma once

// The command line as LLVM's tools take it: options with one dash or two, values behind "=" or as
// the next word, switches without a value or with one ("=false"), the last one of several counts.
//
//   OptionTable table{"pgokit llvm-profdata merge", "...", {{"--output,-o", "FILE", ...}}};
//   if (auto exit = parse_llvm_options(table, arguments)) return *exit;

#include "cli/options.h"

namespace pgokit::cli {

// nullopt: go on. Otherwise the exit code: 0 after --help, 1 after a complaint on standard error.
std::optional<int> parse_llvm_options(const OptionTable& table, std::span<char* const> arguments);

}  // namespace pgokit::cli
