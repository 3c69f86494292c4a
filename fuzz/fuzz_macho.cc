#include <cstdlib>

#include "object/macho/reader.h"
#include "test/support/memory_watch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!pgokit::object::macho::recognizes({data, size})) return 0;
  size_t before = memory_watch::start();
  auto reader = pgokit::object::macho::read({data, size});
  if (reader) (void)(*reader)->symbols();
  if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();
  return 0;
}
