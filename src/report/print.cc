#include "report/print.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/printable.h"

namespace pgokit::report {
namespace {

bool keeps_bytes_in_pipes = false;
int first_error = 0;  // of standard output

void note_error() {
  if (!first_error) first_error = errno;
}

}  // namespace

// Messages come after what was printed before them, where both go to one place.
void print_text(std::FILE* out, std::string_view text) {
  if (out == stderr && std::fflush(stdout) != 0) note_error();
  std::string escaped;
  if (escapes(out)) text = escaped = printable(text);
  bool good = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (!good && out == stdout) note_error();
}

bool escapes(std::FILE* out) { return !keeps_bytes_in_pipes || isatty(fileno(out)) == 1; }

void keep_bytes_in_pipes() { keeps_bytes_in_pipes = true; }

int finish_output(int code) {
  if (std::fflush(stdout) != 0) note_error();
  if (code == 1 || (!first_error && !std::ferror(stdout))) return code;
  print(stderr, "pgokit: standard output: cannot write: {}\n",
        first_error ? std::strerror(first_error) : "an earlier write failed");
  return 1;
}

}  // namespace pgokit::report
