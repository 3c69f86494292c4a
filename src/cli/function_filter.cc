#include "cli/function_filter.h"

#include "base/function_name.h"

namespace pgokit::cli {

Result<FunctionFilter> FunctionFilter::compile(const std::string& expression) {
  FunctionFilter filter;
  if (expression.empty()) return filter;
  auto compiled = std::make_unique<regex_t>();
  int code = regcomp(compiled.get(), expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (code != 0) {
    char message[200];
    regerror(code, compiled.get(), message, sizeof message);
    return usage_error("--function '{}' is no regular expression: {}", expression, message);
  }
  filter.compiled_.reset(compiled.release());
  filter.hash_ = fmt::to_string(function_guid(expression));
  return filter;
}

bool FunctionFilter::matches(std::string_view name) const {
  if (!compiled_) return true;
  regmatch_t range{0, static_cast<regoff_t>(name.size())};
  return regexec(compiled_.get(), name.data() ? name.data() : "", 1, &range, REG_STARTEND) == 0;
}

std::unexpected<Error> nothing_matches(const std::string& path, const std::string& expression,
                                       std::span<const FunctionNamed> names) {
  auto meant = functions_meant(expression, names);
  if (!meant) return fail("{}: {}", path, meant.error().message);
  return fail("{}: no function matches '{}', which is looked for in linkage names, as {}", path,
              expression, names[meant->front()].name);
}

}  // namespace pgokit::cli
