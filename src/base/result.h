#pragma once

// Failure of a whole file, section, option or command.
//
//   Result<Header> read_header(Bytes image);
//   auto header = TRY(read_header(image));      // returns the error from the enclosing function
//   if (bad) return fail("section {} ends past the file", i);
//
// Single broken records are not errors: they are counted and skipped.

#include <fmt/format.h>

#include <expected>
#include <string>
#include <utility>

namespace pgokit {

// One sentence for a person; each caller that knows more puts it in front with in().
struct Error {
  std::string message;
  int exit_code = 1;  // 2: the command line makes no sense

  // A place that is in front already stays there once.
  Error in(std::string_view where) && {
    std::string place = std::string(where) + ": ";
    if (!message.starts_with(place)) message.insert(0, place);
    return std::move(*this);
  }
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

template <class... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> text, Args&&... args) {
  return std::unexpected(Error{fmt::format(text, std::forward<Args>(args)...)});
}

// For options that make no sense: exit code 2.
template <class... Args>
std::unexpected<Error> usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return std::unexpected(Error{fmt::format(text, std::forward<Args>(args)...), 2});
}

// The value of `expr`, or its error returned from the enclosing function.
#define TRY(expr)                                            \
  __extension__({                                            \
    auto&& try_result = (expr);                              \
    if (!try_result) [[unlikely]]                            \
      return std::unexpected(std::move(try_result).error()); \
    *std::move(try_result);                                  \
  })

// The same, with the place put in front of the error.
#define TRY_IN(where, expr)                                            \
  __extension__({                                                      \
    auto&& try_result = (expr);                                        \
    if (!try_result) [[unlikely]]                                      \
      return std::unexpected(std::move(try_result).error().in(where)); \
    *std::move(try_result);                                            \
  })

}  // namespace pgokit
