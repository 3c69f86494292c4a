#include <cstring>
#include <string>

#include "base/cursor.h"
#include "instrument/facts.h"
#include "instrument/merge.h"
#include "instrument/profile_file.h"
#include "test/support/memory_watch.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 16) return 0;
  std::string text(as_text({data, size}));
  u32 crc = instrument::profile_crc(as_bytes(text));
  std::memcpy(text.data() + instrument::profile_crc_offset, &crc, sizeof crc);
  size_t before = memory_watch::start();
  auto profile = instrument::read_profile(as_bytes(text));
  if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();
  if (!profile) return 0;
  for (const auto& module : profile->modules) {
    auto facts = instrument::facts_of(module);
    (void)instrument::by_work(facts);
    (void)instrument::by_first_run(module);
  }
  instrument::Merger merger;
  merger.add_profile(*profile, 2);
  merger.add_profile(*profile, 1);
  std::string sum = instrument::write_profile(merger.finish());
  if (!instrument::read_profile(as_bytes(sum))) std::abort();
  return 0;
}
