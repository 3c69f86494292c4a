// Layouts of the tiny program by whatever map of its blocks: an input is the bytes of the section.
// Memory stays within a multiple of its size.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "block_layout/cluster_profile.h"
#include "program/program.h"
#include "test/support/memory_watch.h"
#include "test/support/tiny_program.h"

using namespace pgokit;

namespace {

program::Program program_with(std::string_view map) {
  auto image =
      test::tiny_program().section(".llvm_bb_addr_map", std::string(map), {.link = 1}).image();
  int file = memfd_create("tiny", 0);
  if (file < 0 || write(file, image.data(), image.size()) != static_cast<ssize_t>(image.size()))
    std::abort();
  auto program = program::Program::open(fmt::format("/proc/self/fd/{}", file), {});
  close(file);
  if (!program || !program->load_functions(1)) std::abort();
  return std::move(*program);
}

samples::Counts all_of_main() {
  return {{{{0x401000}, {0x401002}, 3},
           {{0x401000}, {0x401007}, 7},
           {{0x401007}, {0x401007}, 3},
           {{0x40100c}, {0x40100c}, 10},
           {{0x401010}, {0x401011}, 10}},
          {{samples::external, {0x401000}, 10},
           {{0x401002}, {0x401007}, 3},
           {{0x401007}, {0x401010}, 10},
           {{0x401011}, {0x40100c}, 10}}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const samples::Counts counts = all_of_main();
  auto program = program_with({reinterpret_cast<const char*>(data), size});
  size_t before = memory_watch::start();
  auto blocks = block_layout::count_blocks(program, counts);
  if (blocks) {
    auto layout = block_layout::lay_out(*blocks, {.inter_procedural = true}, 1);
    for (const auto& function : layout.functions)
      if (function.hot.empty() || function.hot[0] != 0) std::abort();
    auto written = block_layout::write_clusters(program, *blocks, layout, {});
    if (!written.clusters.starts_with("v1\n")) std::abort();
  }
  if (memory_watch::most() - before > 256 * size + (1 << 20)) std::abort();
  return 0;
}
