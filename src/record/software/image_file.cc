#include "record/software/image_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace pgokit::record {
namespace {

// Of an arena in the file: its code, then its slots and the table. The rest is each process's own.
u64 size_in_file(const Arena& arena) {
  return arena.shape.code_size + arena.shape.slots_size + arena.shape.table_size();
}

u64 offset_of(std::span<const Arena> arenas, size_t n) {
  u64 offset = 0;
  for (const auto& arena : arenas.first(n)) offset += size_in_file(arena);
  return offset;
}

// -1 where there is none.
int make_file(u64 size) {
  // MFD_NOEXEC_SEAL, since Linux 6.3: it can be mapped as code all the same, only not be executed as
  // a program.
  constexpr unsigned no_program = 8;
  int fd = memfd_create("pgokit", MFD_CLOEXEC | no_program);
  if (fd < 0) fd = memfd_create("pgokit", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(size)) != 0) close(std::exchange(fd, -1));
  return fd;
}

u8* map(int fd, u64 size, int protection, int how) {
  int flags = fd >= 0 ? how : MAP_PRIVATE | MAP_ANONYMOUS;
  void* at = mmap(nullptr, size, protection, flags | MAP_NORESERVE, fd, 0);
  return at == MAP_FAILED ? nullptr : static_cast<u8*>(at);
}

}  // namespace

std::optional<ImageFile> ImageFile::read(ProcessMemory& memory, std::span<const Arena> arenas) {
  ImageFile file;
  file.arenas_.assign(arenas.begin(), arenas.end());
  u64 size = offset_of(arenas, arenas.size());
  file.fd_ = make_file(size);
  file.bytes_ = map(file.fd_, size, PROT_READ | PROT_WRITE, MAP_SHARED);
  if (!file.bytes_ || !file.fill(memory, file.bytes_)) return std::nullopt;
  if (file.fd_ < 0) return file;
  munmap(file.bytes_, size);
  fcntl(file.fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  file.bytes_ = map(file.fd_, size, PROT_READ, MAP_PRIVATE);
  if (!file.bytes_) return std::nullopt;
  return file;
}

bool ImageFile::fill(ProcessMemory& memory, u8* to) const {
  for (const auto& arena : arenas_) {
    u64 slots = arena.shape.code_size, table = slots + arena.shape.slots_size;
    if (!memory.read_data(arena.base, to, arena.code_used) ||
        !memory.read_data(arena.slots(), to + slots, arena.slots_used) ||
        !memory.read_data(arena.table(), to + table, arena.shape.table_size()))
      return false;
    to += size_in_file(arena);
  }
  return true;
}

ImageFile& ImageFile::operator=(ImageFile&& other) noexcept {
  std::swap(arenas_, other.arenas_);
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  std::swap(refused_, other.refused_);
  return *this;
}

ImageFile::~ImageFile() {
  if (bytes_) munmap(bytes_, offset_of(arenas_, arenas_.size()));
  if (fd_ >= 0) close(fd_);
}

Bytes ImageFile::part(size_t n, u64 from, u64 size) const {
  return {bytes_ + offset_of(arenas_, n) + from, size};
}

Bytes ImageFile::table(size_t n) const {
  const auto& shape = arenas_[n].shape;
  return part(n, shape.code_size + shape.slots_size, shape.table_size());
}

std::string ImageFile::path_for(pid_t tid) const {
  if (fd_ < 0 || refused_) return {};
  auto path = fmt::format("/proc/{}/fd/{}", getpid(), fd_);
  struct stat own, found;
  bool leads_here = fstat(fd_, &own) == 0 &&
                    stat(fmt::format("/proc/{}/root{}", tid, path).c_str(), &found) == 0 &&
                    own.st_dev == found.st_dev && own.st_ino == found.st_ino;
  return leads_here ? path : "";
}

std::vector<FileMapping> ImageFile::mappings() const {
  std::vector<FileMapping> list;
  for (size_t n = 0; n < arenas_.size(); ++n) {
    const auto& arena = arenas_[n];
    const auto& shape = arena.shape;
    auto offset = static_cast<u32>(offset_of(arenas_, n));
    list.push_back({.address = arena.base,
                    .size = shape.code_size,
                    .protection = PROT_READ | PROT_EXEC,
                    .offset = offset});
    list.push_back({.address = arena.slots(),
                    .size = shape.slots_size + shape.table_size(),
                    .protection = PROT_READ | PROT_WRITE,
                    .offset = static_cast<u32>(offset + shape.code_size)});
    if (shape.areas)
      list.push_back({.address = arena.scratch(0),
                      .size = shape.areas * shape.scratch_size,
                      .protection = PROT_READ | PROT_WRITE,
                      .offset = 0,
                      .anonymous = true});
  }
  return list;
}

bool ImageFile::made(const Mapping& slots, const Mapping& areas, ArenaShape shape) {
  return slots.path.starts_with("/memfd:pgokit ") && slots.writable && areas.inode == 0 &&
         slots.size() == shape.slots_size + shape.table_size() &&
         areas.size() == shape.areas * shape.scratch_size;
}

}  // namespace pgokit::record
