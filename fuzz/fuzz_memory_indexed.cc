#include <cstdlib>

#include "base/cursor.h"
#include "cli/views/memory_dump.h"
#include "instr_profile/memory/memory_sum.h"
#include "instr_profile/memory/read_indexed_memory.h"
#include "test/support/memory_watch.h"

using namespace pgokit;

static std::string text_of(const instr_profile::MemoryProfile& profile) {
  std::string text;
  auto status = cli::dump_memory(profile, [&](std::string_view piece) { text += piece; });
  return status ? text : "";
}

static instr_profile::MemoryProfile read_again(const std::string& bytes) {
  auto section = instr_profile::read_memory(as_bytes(bytes), 0);
  if (!section) std::abort();
  auto profile = instr_profile::read_indexed_memory(*section);
  if (!profile) std::abort();
  return *std::move(profile);
}

// A section as it would be at the beginning of a file. What was read can be written in all forms, and
// says the same then.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto section = instr_profile::read_memory({data, size}, 0);
  if (!section) return 0;
  size_t before = memory_watch::start();
  auto read = instr_profile::read_indexed_memory(*section);
  if (memory_watch::most() - before > 4 * size + (1 << 20)) std::abort();
  if (!read || size > 1 << 16) return 0;
  instr_profile::MemoryProfile profile;
  profile.add(*read);
  if (text_of(profile).size() > 1 << 22) return 0;
  constexpr u32 all = instr_profile::all_memory_fields;
  for (u64 version : {2, 3, 4}) {
    auto once = read_again(write_memory(profile, {.version = version, .fields = all}));
    instr_profile::MemoryProfile again;
    again.add(once);
    auto twice = read_again(write_memory(again, {.version = version, .fields = all}));
    if (text_of(once).size() != text_of(twice).size()) std::abort();
  }
  return 0;
}
