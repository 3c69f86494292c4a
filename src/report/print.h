#pragma once

// What a command tells people, on standard output or standard error. All commands print by this,
// so that nothing from a file reaches a terminal raw (base/printable.h), and so that a full disk
// is noticed.
//
//   print("program  {}\n", path);                    // to standard output
//   print(stderr, "warning: {}\n", what);
//   return finish_output(code);                      // last in main(): was all of it written?
//
// What is for machines does not come here: profiles, order files and raw counts go through
// OutputFile. JSON does, and passes as it is, as report/json.h leaves nothing to escape.

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace pgokit::report {

void print_text(std::FILE* out, std::string_view text);

template <class... Args>
void print(std::FILE* out, fmt::format_string<Args...> text, Args&&... args) {
  print_text(out, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  print_text(stdout, fmt::format(text, std::forward<Args>(args)...));
}

// For the commands that stand in for LLVM's tools: bytes stay as those print them, except on a
// terminal.
void keep_bytes_in_pipes();

// The exit code of a program that wants to exit with `code`: 1, after a message, if standard output
// could not be written. Where `code` is 1 already there was a message.
int finish_output(int code);

}  // namespace pgokit::report
