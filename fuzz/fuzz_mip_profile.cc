#include <cstring>
#include <string>

#include "base/cursor.h"
#include "memory_watch.h"
#include "mip/facts.h"
#include "mip/merge.h"
#include "mip/profile_file.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 16) return 0;
  std::string text(as_text({data, size}));
  u32 crc = mip::profile_crc(as_bytes(text));
  std::memcpy(text.data() + mip::profile_crc_offset, &crc, sizeof crc);
  size_t before = memory_watch::start();
  auto profile = mip::read_profile(as_bytes(text));
  if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();
  if (!profile) return 0;
  for (const auto& module : profile->modules) {
    auto facts = mip::facts_of(module);
    (void)mip::by_work(facts);
    (void)mip::by_first_run(module);
  }
  mip::Merger merger;
  merger.add_profile(*profile, 2);
  merger.add_profile(*profile, 1);
  std::string sum = mip::write_profile(merger.finish());
  if (!mip::read_profile(as_bytes(sum))) std::abort();
  return 0;
}
