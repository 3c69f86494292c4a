#include "record/software/images.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace pgokit::record {
namespace {

// Empty if it cannot be told.
std::string program_of(pid_t pid) {
  char path[4096];
  auto size = readlink(fmt::format("/proc/{}/exe", pid).c_str(), path, sizeof path);
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : "";
}

}  // namespace

void ProgramImages::keep(pid_t pid, AddressSpace& space) {
  constexpr size_t most_images = 16;
  if (space.cache().blocks() == 0) return;
  auto program = program_of(pid);
  auto it = images_.find(program);
  if (program.empty() || (it == images_.end() && images_.size() == most_images)) return;
  size_t known = it == images_.end() ? 0 : it->second->code.blocks();
  if (space.cache().blocks() < known + known / 16 + 1) return;
  if (auto image = space.image()) images_[program] = std::move(image);
}

bool ProgramImages::adopt(StoppedThread& thread, pid_t pid, AddressSpace& space) const {
  if (images_.empty() || !space.cache().arenas().empty()) return true;
  auto image = images_.find(program_of(pid));
  return image == images_.end() || space.adopt(thread, *image->second);
}

}  // namespace pgokit::record
