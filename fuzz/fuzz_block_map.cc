// Block maps: the bytes of a section. Memory stays below about four times its size: columns are
// reserved by what the rest can hold.
#include "block_map/block_map.h"
#include "test/support/memory_watch.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  size_t before = memory_watch::start();
  for (u8 address_size : {u8{4}, u8{8}}) {
    auto status = block_map::each_function({data, size}, address_size, [](const auto& function) {
      for (size_t i = 0; i < function.blocks.size(); ++i)
        if (function.successors_of(i).size() != function.probabilities_of(i).size()) std::abort();
    });
    static_cast<void>(status);
  }
  if (memory_watch::most() - before > 8 * size + (1 << 20)) std::abort();
  return 0;
}
