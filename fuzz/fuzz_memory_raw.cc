#include <cstdlib>

#include "instr_profile/memory/read_raw_memory.h"
#include "test/support/memory_watch.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  size_t before = memory_watch::start();
  auto raw = instr_profile::read_raw_memory({data, size});
  if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();
  if (raw && raw->segments.size() > size) std::abort();
  return 0;
}
