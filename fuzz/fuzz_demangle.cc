#include <cstdlib>

#include "base/cursor.h"
#include "base/demangle.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto name = as_text({data, size});
  if (core_size(name) > size) abort();
  auto plain = demangle(name);
  if (plain_name(name).size() + dropped_suffixes(name).size() > plain.size() + size + 19) abort();
  if (plain.size() > (1 << 16) + size || (plain.empty() && size)) abort();
  return 0;
}
