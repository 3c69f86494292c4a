#include "profile_rewrite.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (profile::sniff({data, size}) != profile::Format::text) return 0;
  (void)profile::read_notes({data, size});
  if (auto read = profile::read_profile({data, size})) check_rewrite(*read);
  return 0;
}
