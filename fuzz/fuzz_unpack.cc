#include <cstdlib>

#include "base/cursor.h"
#include "base/unpack.h"

using namespace pgokit;

// Nothing more comes out than may, and the same again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr u64 most = 1 << 20;
  Bytes bytes{data, size};
  auto packing = packing_of(bytes).value_or(Packing::zlib);
  for (int round = 0; round < 2; ++round) {
    static u64 last;
    u64 total = 0;
    [[maybe_unused]] auto status = unpack(bytes, packing, most, [&](Bytes piece) -> Status {
      total += piece.size();
      return {};
    });
    if (total > most || (round == 1 && total != last)) abort();
    last = total;
  }
  return 0;
}
