#include "record/system/foreign_program.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/types.h"
#include "object/file.h"

namespace pgokit::record {
namespace {

#if defined(__aarch64__)
constexpr u16 native = EM_AARCH64, native_32_bit = EM_ARM;
#else
constexpr u16 native = EM_X86_64, native_32_bit = EM_386;
#endif

// The file that exec() would run; empty: none.
std::string find_command(const std::string& command) {
  if (command.find('/') != command.npos) return command;
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable ? variable : "/usr/bin:/bin";
  while (true) {
    auto end = rest.find(':');
    std::string folder(rest.substr(0, end));
    std::string path = (folder.empty() ? "." : folder) + "/" + command;
    if (access(path.c_str(), X_OK) == 0) return path;
    if (end == rest.npos) return {};
    rest.remove_prefix(end + 1);
  }
}

// e_machine of an ELF file, 0 for other files.
u16 machine_of(const std::string& path) {
  std::array<u8, offsetof(Elf64_Ehdr, e_machine) + sizeof(u16)> head{};
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return 0;
  auto size = read(file, head.data(), head.size());
  close(file);
  if (size != static_cast<ssize_t>(head.size()) || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0)
    return 0;
  u8 low = head[head.size() - 2], high = head[head.size() - 1];
  if (head[EI_DATA] == ELFDATA2MSB) std::swap(low, high);
  return static_cast<u16>(low | high << 8);
}

}  // namespace

Status check_processor(const std::string& command) {
  u16 machine = machine_of(find_command(command));
  if (machine == 0 || machine == native || machine == native_32_bit) return {};
  constexpr int cannot_run = 126;
  return std::unexpected(
      Error{fmt::format("cannot run {}: a program for {}, and this is {}; record it on a machine "
                        "that runs it ('pgokit generate' reads the recording here)",
                        command, object::machine_name(machine), object::machine_name(native)),
            cannot_run});
}

}  // namespace pgokit::record
