#pragma once

// The option --function RE of commands that list functions.
//
//   auto filter = TRY(FunctionFilter::compile(settings.function));
//   if (filter.matches(name)) ...

#include <regex.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/named_function.h"
#include "base/result.h"

namespace pgokit::cli {

class FunctionFilter {
 public:
  // An extended regular expression (POSIX), looked for anywhere in the name. Empty: all match.
  static Result<FunctionFilter> compile(const std::string& expression);

  bool matches(std::string_view name) const;
  // Whether the expression, taken as a name, has the hash that `digits` are (profiles may have
  // hashes in place of names, of which no expression knows anything).
  bool is_name_of(std::string_view digits) const { return compiled_ && digits == hash_; }
  bool is_set() const { return compiled_ != nullptr; }

 private:
  struct Free {
    void operator()(regex_t* compiled) const {
      regfree(compiled);
      delete compiled;
    }
  };
  std::unique_ptr<regex_t, Free> compiled_;
  std::string hash_;
};

// What to say where an expression matches none of these linkage names: which are near to it.
std::unexpected<Error> nothing_matches(const std::string& path, const std::string& expression,
                                       std::span<const FunctionNamed> names);

}  // namespace pgokit::cli
