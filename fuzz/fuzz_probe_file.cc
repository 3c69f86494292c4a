// A whole ELF file through the commands that list its probes: sections, relocations, symbols, debug
// links, code.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/types.h"
#include "cli/commands/probes_commands.h"

namespace {

void run(const pgokit::cli::Command& command, std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  command.run(arguments);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pgokit::cli;
  // The fuzzer keeps the streams that it has.
  static const bool quiet = (stdout = stderr = std::fopen("/dev/null", "w")) != nullptr;
  if (!quiet) return 0;
  int file = memfd_create("input", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) return 0;
  std::string path = "/proc/self/fd/" + std::to_string(file);
  run(probes_dump_command, {path});
  run(probes_dump_command, {path, "--json", "--function", "a|f"});
  run(probes_stats_command, {path, "--json"});
  run(probes_disassemble_command, {path, "--threads", "1"});
  run(probes_disassemble_command, {path, "--threads", "1", "--syntax", "intel", "--source-lines"});
  close(file);
  return 0;
}
