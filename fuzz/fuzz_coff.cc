#include <cstdlib>

#include "object/coff/reader.h"
#include "test/support/memory_watch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  size_t before = memory_watch::start();
  auto reader = pgokit::object::coff::read({data, size});
  if (reader) {
    (void)(*reader)->symbols();
    // Tables of several sections may overlap in a damaged file.
    for (const auto& section : (*reader)->view().sections)
      if ((*reader)->has_relocations(section)) {
        (void)(*reader)->relocations(section);
        break;
      }
  }
  if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();
  return 0;
}
