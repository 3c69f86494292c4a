#include "base/cursor.h"
#include "profile/format.h"

using namespace pgokit;

// What was read is written and read again as the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (profile::sniff({data, size}) != profile::Format::gcov) return 0;
  auto read = profile::read_profile({data, size});
  if (!read) return 0;
  auto written = profile::write_gcov(read->profile);
  if (!written) __builtin_trap();
  auto again = profile::read_profile(as_bytes(*written));
  if (!again || *profile::write_gcov(again->profile) != *written) __builtin_trap();
  return 0;
}
