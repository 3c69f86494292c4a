#include "profile/model/summary.h"
#include "profile_rewrite.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto format = profile::sniff({data, size});
  if (!format || *format == profile::Format::text) return 0;
  (void)profile::read_notes({data, size});
  auto read = profile::read_profile({data, size});
  if (!read) return 0;
  (void)profile::density(read->profile);
  check_rewrite(*read);
  return 0;
}
