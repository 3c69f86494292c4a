#pragma once

// An option table as LLVM's tools read their arguments, for commands that stand in for them:
//
//   OptionTable table{"pgokit llvm-profdata merge", "Add profiles up",
//                     {{"--output,-o", "FILE", "where the sum goes", &settings.output}}};
//   if (auto exit = parse_llvm_options(table, arguments)) return *exit;
//
// * One dash is as good as two; a value stands behind "=" or in the next word.
// * Switches take a value behind "=" only ("--kernel=0"); "BOOL" options and switches are the same.
// * Of an option that is given several times the last one counts.
// * "@FILE" stands for the words in FILE; behind "--" nothing is an option.
// * What is wrong is said in LLVM's words, all of it.
// * Numbers may be 0x.., 0b.. and octal.

#include "cli/options.h"

namespace pgokit::cli {

// nullopt: go on. Otherwise the exit code: 0 after --help and --version, 1 after a complaint on
// standard error.
std::optional<int> parse_llvm_options(const OptionTable& table, std::span<char* const> arguments);

// In the form of LLVM's tools, with the version whose options and output are those here.
void print_llvm_version();

}  // namespace pgokit::cli
