#include <cstring>
#include <string>

#include "instrument/map.h"
#include "instrument/merge.h"
#include "test/support/memory_watch.h"
#include "test/support/mip_builder.h"

using namespace pgokit;

namespace {

// Functions of every kind, whose counters begin behind the section's header.
instrument::Module module_of_all_kinds() {
  test::MapBuilder map;
  map.function({.name = "a", .address = 0x1000, .kinds = MIP_COVERAGE | MIP_CALLS32});
  map.function({.name = "b",
                .address = 0x2000,
                .kinds = MIP_BLOCKS64 | MIP_ORDER | MIP_BLOCK_COVERAGE,
                .counters = 2,
                .blocks = {{0, 0, {1}}, {4, 1, {}}}});
  map.function({.name = "c",
                .address = 0x3000,
                .kinds = MIP_TARGETS | MIP_SIZES,
                .sites = {{0x3004}, {0x3008, MIP_SIZES}, {0x300c, MIP_TARGETS, 3, 4, "inlined"}}});
  return std::move(instrument::read_map_section(as_bytes(map.section()))->module);
}

// Damage is what fuzzing finds first; behind right checksums there is more.
std::string with_checksums(std::string bytes) {
  for (size_t at = 0; at + sizeof(mip_dump) + 4 <= bytes.size();) {
    mip_dump header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    u64 size = header.total_size;
    if (header.magic != MIP_DUMP_MAGIC || size < sizeof header + 4 || size > bytes.size() - at)
      break;
    u32 crc = instrument::dump_crc(as_bytes(bytes).subspan(at, size));
    std::memcpy(bytes.data() + at + size - 4, &crc, sizeof crc);
    at += size;
  }
  return bytes;
}

void merge(std::string_view text) {
  instrument::Merger merger;
  merger.add_map(module_of_all_kinds());
  size_t before = memory_watch::start();
  merger.see_dumps(0, as_bytes(text), 3);
  merger.add_dumps(0, as_bytes(text));
  auto profile = merger.finish();
  if (memory_watch::most() - before > 4 * text.size() + (1 << 20)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(as_text({data, size}));
  merge(text);
  merge(with_checksums(text));
  return 0;
}
