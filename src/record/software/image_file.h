#pragma once

// What arenas hold, in a file in memory that other processes map: they share its pages until they
// change them, in place of having each written for them.
//
//   auto file = ImageFile::read(memory, arenas);
//   if (auto path = file->path_for(tid); !path.empty()) ...    // the thread opens that itself
//   else write(file->code(0)) ...

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.h"
#include "record/software/code_cache.h"
#include "record/system/memory_map.h"
#include "record/system/process_memory.h"
#include "record/x86/file_mappings.h"

namespace pgokit::record {

class ImageFile {
 public:
  // Nothing if the process is gone.
  static std::optional<ImageFile> read(ProcessMemory& memory, std::span<const Arena> arenas);
  ImageFile() = default;
  ImageFile(ImageFile&& other) noexcept { *this = std::move(other); }
  ImageFile& operator=(ImageFile&& other) noexcept;
  ~ImageFile();

  // Of the n-th arena, as far as there is anything.
  Bytes code(size_t n) const { return part(n, 0, arenas_[n].code_used); }
  Bytes slots(size_t n) const { return part(n, arenas_[n].shape.code_size, arenas_[n].slots_used); }
  Bytes table(size_t n) const;

  // As the thread finds it in its own /proc. Empty where that leads elsewhere: in containers, after
  // chroot().
  std::string path_for(pid_t tid) const;
  // A process has not been permitted to open it: the next ones will not be either.
  void refuse() const { refused_ = true; }

  // All that make the arenas.
  std::vector<FileMapping> mappings() const;
  // The mappings before and at the scratch areas of an arena are such ones.
  static bool made(const Mapping& slots, const Mapping& areas, ArenaShape shape);

 private:
  Bytes part(size_t n, u64 from, u64 size) const;
  bool fill(ProcessMemory& memory, u8* to) const;

  std::vector<Arena> arenas_;
  int fd_ = -1;  // none: there is no such file to be had
  u8* bytes_ = nullptr;
  mutable bool refused_ = false;
};

}  // namespace pgokit::record
