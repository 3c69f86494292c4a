#include "instrument/blocks.h"
#include "instrument/map.h"
#include "instrument/profile_file.h"
#include "test/support/memory_watch.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  size_t before = memory_watch::start();
  auto map = instrument::read_map_section({data, size}, instrument::MapPlace{0x4000, 0x8000});
  if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();
  if (!map) return 0;
  for (const auto& function : map->module.functions) {
    (void)instrument::block_counts(map->module, function);
    for (u32 b = 0; b < map->module.blocks_of(function).size(); ++b)
      (void)map->module.block_end(function, b);
    (void)map->module.find(function.address);
  }
  // What was read is written and read again as the same.
  instrument::Profile profile;
  profile.modules.push_back(std::move(map->module));
  std::string written = instrument::write_profile(profile);
  auto again =
      instrument::read_profile({reinterpret_cast<const u8*>(written.data()), written.size()});
  if (!again || instrument::write_profile(*again) != written) std::abort();
  return 0;
}
