#include <cstdlib>

#include "object/file.h"
#include "object/strip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto stripped = pgokit::object::strip({data, size});
  if (stripped && stripped->size() > 3 * size + 64) abort();
  auto file = pgokit::object::File::parse({data, size});
  if (!file) return 0;
  for (const auto& section : file->sections()) {
    if (section.size >= 1 << 16) continue;
    if (!file->contents(section)) continue;  // damaged compression is an error, no crash
  }
  (void)file->symbols();
  (void)file->build_id();
  (void)file->debug_link();
  return 0;
}
