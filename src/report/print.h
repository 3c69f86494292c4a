#pragma once

// What a command tells people, on standard output or standard error. All commands print by this,
// so that nothing from a file reaches a terminal raw (base/printable.h), and so that a full disk
// is noticed.
//
//   print("program  {}\n", path);                    // to standard output
//   text += format("function {}\n", name);           // of text that is printed by lines(text)
//   print("{}", lines(text));
//   print(stderr, "warning: {}\n", what);
//   return finish_output(code);                      // last in main(): was all of it written?
//
// A name from a file cannot end the line that it is in, nor begin one: in strings among the
// arguments line ends and tabs are escaped too. What is text of several lines says so by lines().
//
// What is for machines does not come here: profiles, order files and raw counts go through
// OutputFile. JSON does, and passes as it is, as report/json.h leaves nothing to escape.

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/printable.h"

namespace pgokit::report {

// Text whose line ends are the program's own.
struct Lines {
  std::string_view text;
};
inline Lines lines(std::string_view text) { return {text}; }

// Literals and other C strings are the program's own words.
template <class T>
decltype(auto) in_line(const T& value) {
  if constexpr (std::is_same_v<T, Lines>)
    return value.text;
  else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>)
    return printable_line(value);
  else
    return value;
}

template <class... Args>
std::string format(fmt::format_string<Args...> text, Args&&... args) {
  return [&](const auto&... shown) {
    return fmt::vformat(text, fmt::make_format_args(shown...));
  }(in_line(args)...);
}

void print_text(std::FILE* out, std::string_view text);
// Not of output that keeps its bytes.
bool escapes(std::FILE* out);

template <class... Args>
void print(std::FILE* out, fmt::format_string<Args...> text, Args&&... args) {
  print_text(out, escapes(out) ? report::format(text, std::forward<Args>(args)...)
                               : fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  report::print(stdout, text, std::forward<Args>(args)...);
}

// For the commands that stand in for LLVM's tools: bytes stay as those print them, except on a
// terminal.
void keep_bytes_in_pipes();

// The exit code of a program that wants to exit with `code`: 1, after a message, if standard output
// could not be written. Where `code` is 1 already there was a message.
int finish_output(int code);

}  // namespace pgokit::report

template <>
struct fmt::formatter<pgokit::report::Lines> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const pgokit::report::Lines& lines, Context& context) const {
    return fmt::formatter<std::string_view>::format(lines.text, context);
  }
};
