// Unwind tables of ELF files. Memory stays below four times the file's size.
#include "dwarf/cfi.h"
#include "test/support/memory_watch.h"

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = object::File::parse({data, size});
  if (!file) return 0;
  // What compressed sections hold is bounded by nothing here.
  for (const auto& section : file->sections())
    if (section.size > 1 << 20) return 0;
  size_t before = memory_watch::start();
  auto table = dwarf::CfiTable::find(*file);
  if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();
  if (!table) return 0;
  size_t left = 512;  // each row costs as much as its entry is long
  for (const auto& section : file->sections())
    for (u64 at = 0; section.is_code() && at < section.size && left > 0; ++at, --left)
      table->row_at(section.address + at);
  return 0;
}
