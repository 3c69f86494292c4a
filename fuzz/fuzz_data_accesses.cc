// Text of perf report -D over a program of two functions and a virtual table: no crash, and no more
// accesses than lines.
#include <algorithm>
#include <cstdlib>

#include "base/cursor.h"
#include "samples/data_accesses.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace {

using namespace pgokit;

const program::Program& opened_program() {
  static const auto opened = [] {
    test::ScratchDir dir;
    auto builder = test::tiny_program();
    builder.segment(PF_R, 0x2000, 0x402000, 0x1000)
        .section(".data", std::string(0x40, 'x'), {.flags = SHF_ALLOC, .address = 0x402000})
        .symbol("_ZTV1A", 0x402000, 0x20, 2, STT_OBJECT);
    dir.write("tiny", builder.image());
    auto tiny = program::Program::open(fmt::format("{}/tiny", dir.path()), {});
    if (!tiny) std::abort();
    return std::move(*tiny);
  }();
  return opened;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text = as_text({data, size});
  auto read = samples::read_vtable_accesses(text, opened_program(), {});
  if (!read) return 0;
  u64 accesses = 0;
  for (const auto& access : *read) accesses += access.count;
  if (accesses > static_cast<u64>(std::ranges::count(text, '\n')) + 1) std::abort();
  return 0;
}
