// Text without branch stacks, counted over a program of two functions and estimated: no crash, no
// hang, and the same counts on one thread and on three.
#include <cstdlib>

#include "base/cursor.h"
#include "opened_program.h"
#include "samples/ip_counts.h"
#include "samples/ip_estimate.h"

namespace {

using namespace pgokit;

const program::FunctionTable& functions() {
  static const program::FunctionTable table({{.name = "main", .begin = 0x401000, .end = 0x40100d},
                                             {.name = "leaf", .begin = 0x401010, .end = 0x401012}},
                                            fuzz::opened_program().symbols(), 0x1000);
  return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto read = samples::count_ip_script(as_text({data, size}), fuzz::opened_program(), {});
  if (!read) return 0;
  const auto& use = read->use;
  if (use.samples() !=
      use.used() + use[samples::Fate::elsewhere] + use[samples::Fate::not_in_program])
    std::abort();
  auto seen = read->counter.counts();
  auto one = samples::estimate_counts(fuzz::opened_program().code(), functions(), seen, 1);
  if (one.counts !=
      samples::estimate_counts(fuzz::opened_program().code(), functions(), seen, 3).counts)
    std::abort();
  return 0;
}
