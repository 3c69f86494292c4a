#include "cli/command.h"

#include "report/print.h"

namespace pgokit::cli {

int report_failure(std::string_view command, const Error& error) {
  report::print(stderr, "pgokit {}: {}\n", command, error.message);
  return error.exit_code;
}

}  // namespace pgokit::cli
