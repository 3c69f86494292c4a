#include "record/software/images.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace pgokit::record {
namespace {

// Without a path if it cannot be told.
FileKey program_of(pid_t pid) {
  auto link = fmt::format("/proc/{}/exe", pid);
  char path[4096];
  auto size = readlink(link.c_str(), path, sizeof path);
  struct stat file;
  if (size <= 0 || stat(link.c_str(), &file) != 0) return {};
  return {file.st_dev, file.st_ino, std::string(path, static_cast<size_t>(size))};
}

}  // namespace

void ProgramImages::keep(pid_t pid, AddressSpace& space) {
  constexpr size_t most_images = 16;
  if (space.cache().blocks() == 0) return;
  auto program = program_of(pid);
  auto it = images_.find(program);
  if (program.path.empty() || (it == images_.end() && images_.size() == most_images)) return;
  size_t known = it == images_.end() ? 0 : it->second.image->tables.code.blocks();
  if (space.cache().blocks() < known + known / 16 + 1) return;
  auto image = space.image();
  if (!image) return;
  images_[program] = {std::move(image), std::nullopt};
  prepared_ = false;
}

bool ProgramImages::adopt(StoppedThread& thread, pid_t pid, AddressSpace& space) {
  if (images_.empty() || !space.cache().arenas().empty()) return true;
  auto known = images_.find(program_of(pid));
  if (known == images_.end()) return true;
  auto& [image, spare] = known->second;
  bool adopted = space.adopt(thread, *image, spare);
  prepared_ &= spare.has_value();
  return adopted;
}

void ProgramImages::prepare() {
  if (std::exchange(prepared_, true)) return;
  for (auto& [program, known] : images_)
    if (!known.spare) known.spare = known.image->tables;
}

}  // namespace pgokit::record
