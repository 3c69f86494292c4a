#include <cstdlib>

#include "profile/table/reader.h"
#include "test/support/columns_text.h"

using namespace pgokit;

// What the quick way reads the general one reads, too, and the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto quick = profile::read_plain_columns({data, size});
  if (!quick) return 0;
  auto read = profile::read_profile({data, size});
  if (!read) std::abort();
  if (test::columns_text(*quick) != test::columns_text(columns_of(*read))) std::abort();
  return 0;
}
