#include "record/system/foreign_program.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/command_path.h"
#include "base/types.h"
#include "object/file.h"

namespace pgokit::record {
namespace {

#if defined(__aarch64__)
constexpr u16 native = EM_AARCH64, native_32_bit = EM_ARM;
#else
constexpr u16 native = EM_X86_64, native_32_bit = EM_386;
#endif

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
  u16 machine = machine_of(path_of_command(command));
  if (machine == 0 || machine == native || machine == native_32_bit) return {};
  constexpr int cannot_run = 126;
  return std::unexpected(
      Error{fmt::format("cannot run {}: a program for {}, and this is {}; record it on a machine "
                        "that runs it ('pgokit generate' reads the recording here)",
                        command, object::machine_name(machine), object::machine_name(native)),
            cannot_run});
}

}  // namespace pgokit::record
