#include "cli/command.h"

namespace pgokit::cli {

int report_failure(std::string_view command, const Error& error) {
  fmt::print(stderr, "pgokit {}: {}\n", command, error.message);
  return error.exit_code;
}

}  // namespace pgokit::cli
