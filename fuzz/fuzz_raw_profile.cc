#include <cstdlib>

#include "base/cursor.h"
#include "samples/raw_profile.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr BinaryAddr base{0x201000};
  std::string_view text = as_text({data, size});
  (void)samples::looks_like_raw_profile(text);
  auto counts = samples::read_raw_profile(text, base);
  if (!counts) return 0;
  // What was read is written and read again as the same.
  auto again = samples::read_raw_profile(samples::write_raw_profile(*counts, base), base);
  if (!again || *again != *counts) abort();
  return 0;
}
