// Unwind tables of ELF files. Memory stays below four times the file's size.
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "record/cfi.h"

namespace {

size_t live, most_live;

void* take(size_t size) {
  void* memory = std::malloc(size);
  if (!memory) std::abort();
  live += malloc_usable_size(memory);
  most_live = std::max(most_live, live);
  return memory;
}

void give_back(void* memory) {
  if (!memory) return;
  live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return take(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return take(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, size_t) noexcept { give_back(memory); }

using namespace pgokit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = elf::File::parse({data, size});
  if (!file) return 0;
  // What compressed sections hold is bounded by nothing here.
  for (const auto& section : file->sections())
    if (section.size > 1 << 20) return 0;
  size_t before = most_live = live;
  auto table = record::CfiTable::find(*file);
  if (most_live - before > 4 * size + (1 << 20)) std::abort();
  if (!table) return 0;
  size_t left = 512;  // each row costs as much as its entry is long
  for (const auto& section : file->sections())
    for (u64 at = 0; section.is_code() && at < section.size && left > 0; ++at, --left)
      table->row_at(section.address + at);
  return 0;
}
