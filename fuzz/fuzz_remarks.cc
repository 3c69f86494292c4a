// Remarks in both forms. What one remark may take is bounded, so memory stays below four times the
// file's size.
#include "remarks/read.h"
#include "test/support/memory_watch.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  size_t before = memory_watch::start();
  auto status = remarks::each_remark({data, size}, [&](const remarks::Remark& remark) {
    for (const auto& argument : remark.arguments)
      if (argument.key.size() > size || argument.value.size() > 4 * size) std::abort();
  });
  if (memory_watch::most() - before > 4 * size + (2 << 20)) std::abort();
  static_cast<void>(status);
  return 0;
}
