// Text without branch stacks, counted over a program of two functions and estimated: no crash, no
// hang, and the same counts on one thread and on three.
#include <cstdlib>

#include "base/cursor.h"
#include "samples/ip_counts.h"
#include "samples/ip_estimate.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace {

using namespace pgokit;

const binary::Program& program() {
  static const auto opened = [] {
    test::ScratchDir dir;
    dir.write("tiny", test::tiny_program().image());
    auto tiny = binary::Program::open(fmt::format("{}/tiny", dir.path()), {});
    if (!tiny) std::abort();
    return std::move(*tiny);
  }();
  return opened;
}

const binary::FunctionTable& functions() {
  static const binary::FunctionTable table({{.name = "main", .begin = 0x401000, .end = 0x40100d},
                                            {.name = "leaf", .begin = 0x401010, .end = 0x401012}},
                                           program().symbols(), 0x1000);
  return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto read = samples::count_ip_script(as_text({data, size}), program(), {});
  if (!read) return 0;
  const auto& use = read->use;
  if (use.samples != use.used + use.elsewhere + use.not_in_program) std::abort();
  auto seen = read->counter.counts();
  auto one = samples::estimate_counts(program().code(), functions(), seen, 1);
  if (one.counts != samples::estimate_counts(program().code(), functions(), seen, 3).counts)
    std::abort();
  return 0;
}
