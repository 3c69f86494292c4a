#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/cursor.h"
#include "base/temporary_folder.h"
#include "base/unpack.h"

namespace pgokit {
namespace {

std::string last_error() { return std::strerror(errno); }

// Other devices than these have no end.
bool is_readable_device(const struct stat& info, int fd) {
  return info.st_rdev == makedev(1, 3) || isatty(fd) == 1;  // /dev/null, a terminal
}

Status check_kind(const struct stat& info, int fd) {
  if (S_ISDIR(info.st_mode)) return fail("is a folder, not a file");
  if (S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && !is_readable_device(info, fd)))
    return fail("is a device, not a file");
  return {};
}

// Half of this machine's: what is longer can be mapped, but not kept.
u64 longest_stream() {
  return static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE)) / 2;
}

Result<std::string> read_all(int fd) {
  std::string contents;
  char buffer[1 << 16];
  for (u64 longest = longest_stream(); contents.size() <= longest;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail("cannot read: {}", last_error());
    if (n == 0) return contents;
    contents.append(buffer, static_cast<size_t>(n));
  }
  return fail("it is longer than half of this machine's memory: write it to a file, and read that");
}

// What was read from pipes, by what the kernel calls them.
class Streams {
 public:
  using Contents = std::shared_ptr<const std::string>;

  Contents find(const struct stat& info) {
    std::scoped_lock held(lock_);
    auto it = all_.find({info.st_dev, info.st_ino});
    return it == all_.end() ? nullptr : it->second;
  }
  Contents add(const struct stat& info, std::string contents) {
    std::scoped_lock held(lock_);
    return all_[{info.st_dev, info.st_ino}] =
               std::make_shared<const std::string>(std::move(contents));
  }

 private:
  std::mutex lock_;
  std::map<std::pair<dev_t, ino_t>, Contents> all_;
};

Streams& streams() {
  static Streams streams;
  return streams;
}

// Memory can be given back of these only: elsewhere it would come back as zeros.
struct Mapping {
  Bytes bytes;
  std::string path;

  bool contains(const u8* address) const {
    return address >= bytes.data() && address < bytes.data() + bytes.size();
  }
};

struct Mappings {
  std::mutex lock;
  std::vector<Mapping> all;
};

Mappings& mappings() {
  static Mappings mappings;
  return mappings;
}

void add_mapping(Bytes bytes, const std::string& path) {
  std::scoped_lock held(mappings().lock);
  mappings().all.push_back({bytes, path});
}

void remove_mapping(Bytes bytes) {
  std::scoped_lock held(mappings().lock);
  std::erase_if(mappings().all,
                [&](const Mapping& other) { return other.bytes.data() == bytes.data(); });
}

Bytes bytes_of(const std::shared_ptr<const std::string>& contents) {
  if (!contents) return {};
  return {reinterpret_cast<const u8*>(contents->data()), contents->size()};
}

// Takes what is unpacked: text while there is little of it, then a temporary file without a name.
class Unpacked {
 public:
  Unpacked() = default;
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  ~Unpacked() {
    if (fd_ >= 0) ::close(fd_);
  }

  Status add(Bytes piece) {
    if (fd_ < 0 && contents.size() + piece.size() <= held_in_memory) {
      contents.append(reinterpret_cast<const char*>(piece.data()), piece.size());
      return {};
    }
    if (fd_ < 0) {
      TRY(open_file());
      TRY(write(as_bytes(std::exchange(contents, {}))));
    }
    return write(piece);
  }

  // Empty: all of it is in `contents`.
  Result<Bytes> map() const {
    if (fd_ < 0) return Bytes{};
    void* address = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd_, 0);
    if (address == MAP_FAILED) return fail("cannot map what was unpacked: {}", last_error());
    return Bytes{static_cast<const u8*>(address), size_};
  }

  std::string contents;

 private:
  static constexpr size_t held_in_memory = 64 << 20;

  Status open_file() {
    folder_ = place_of_temporaries();
    std::string path = folder_ + "/pgokit-XXXXXX";
    fd_ = mkostemp(path.data(), O_CLOEXEC);
    if (fd_ < 0)
      return fail("cannot be unpacked in {}: {} (TMPDIR chooses another folder)", folder_,
                  last_error());
    ::unlink(path.c_str());
    return {};
  }

  Status write(Bytes piece) {
    size_ += piece.size();
    while (!piece.empty()) {
      ssize_t n = ::write(fd_, piece.data(), piece.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0)
        return fail("cannot be unpacked in {}: {} (TMPDIR chooses another folder)", folder_,
                    last_error());
      piece = piece.subspan(static_cast<size_t>(n));
    }
    return {};
  }

  int fd_ = -1;
  size_t size_ = 0;
  std::string folder_;
};

}  // namespace

// In place of compressed bytes there is what they hold.
Status MappedFile::unpack_contents() {
  auto packing = packing_of(bytes_);
  if (!packing) return {};
  Unpacked unpacked;
  TRY(unpack(bytes_, *packing, file_limits.allowed(bytes_.size()),
             [&](Bytes piece) { return unpacked.add(piece); }));
  Bytes mapped = TRY(unpacked.map());
  if (mapped_) remove_mapping(bytes_);
  if (mapped_) munmap(const_cast<u8*>(bytes_.data()), bytes_.size());
  mapped_ = !mapped.empty();
  contents_ = std::make_shared<const std::string>(std::move(unpacked.contents));
  bytes_ = mapped_ ? mapped : bytes_of(contents_);
  if (mapped_) add_mapping(bytes_, path_);
  return {};
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  bool standard_input = path == "-";
  struct stat info{};
  MappedFile file;
  file.path_ = standard_input ? "standard input" : path;
  // Opening a named pipe again would wait for another writer.
  if (!standard_input && stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode))
    if ((file.contents_ = streams().find(info))) {
      file.bytes_ = bytes_of(file.contents_);
      TRY_IN(file.path_, file.unpack_contents());
      return file;
    }
  int fd = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail("{}: cannot open: {}", path, last_error());
  auto status = file.load(fd);
  if (!standard_input) ::close(fd);
  if (status) status = file.unpack_contents();
  if (!status) return std::unexpected(std::move(status).error().in(file.path_));
  return file;
}

Result<MappedFile> MappedFile::open_regular(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return fail("{}: cannot open: {}", path, last_error());
  MappedFile file;
  file.path_ = path;
  struct stat info{};
  bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  auto status = regular ? file.load(fd) : fail("is not a regular file");
  ::close(fd);
  if (!status) return std::unexpected(std::move(status).error().in(path));
  return file;
}

Status MappedFile::load(int fd) {
  struct stat info{};
  if (fstat(fd, &info) != 0) return fail("cannot read: {}", last_error());
  TRY(check_kind(info, fd));
  if (S_ISREG(info.st_mode) && info.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
    auto size = static_cast<size_t>(info.st_size);
    void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address != MAP_FAILED) {
      mapped_ = true;
      bytes_ = {static_cast<const u8*>(address), size};
      add_mapping(bytes_, path_);
      return {};
    }
  }
  bool once = !S_ISREG(info.st_mode) || fd == STDIN_FILENO;
  if (once) contents_ = streams().find(info);
  if (!contents_) {
    auto contents = TRY(read_all(fd));
    contents_ = once ? streams().add(info, std::move(contents))
                     : std::make_shared<const std::string>(std::move(contents));
  }
  bytes_ = bytes_of(contents_);
  return {};
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  std::swap(contents_, other.contents_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!mapped_) return;
  remove_mapping(bytes_);
  munmap(const_cast<u8*>(bytes_.data()), bytes_.size());
}

std::optional<std::string> mapped_input_at(const void* address) {
  std::scoped_lock held(mappings().lock);
  for (const auto& file : mappings().all)
    if (file.contains(static_cast<const u8*>(address))) return file.path;
  return std::nullopt;
}

// The pages at both ends as well, with what others have there: of a file they are read again. Where
// pages are large, the rest of one would stay for a few bytes that were looked at.
void release(Bytes part) {
  if (part.empty()) return;
  auto page = static_cast<u64>(sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<u64>(part.data()), end = begin + part.size();
  begin &= -page;
  end = (end + page - 1) & -page;
  std::scoped_lock held(mappings().lock);
  bool mapped = std::ranges::any_of(mappings().all, [&](const Mapping& file) {
    return file.contains(part.data()) && file.contains(part.data() + part.size() - 1);
  });
  if (mapped) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace pgokit
