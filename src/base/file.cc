#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/cursor.h"
#include "base/unpack.h"

namespace pgokit {
namespace {

std::string last_error() { return std::strerror(errno); }

Status read_all(int fd, std::string& contents) {
  char buffer[1 << 16];
  while (true) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail("cannot read: {}", last_error());
    if (n == 0) return {};
    contents.append(buffer, static_cast<size_t>(n));
  }
}

// Only of these can memory be given back: elsewhere it would come back as zeros.
struct Mappings {
  std::mutex lock;
  std::vector<Bytes> all;
};

Mappings& mappings() {
  static Mappings mappings;
  return mappings;
}

void add_mapping(Bytes bytes) {
  std::scoped_lock held(mappings().lock);
  mappings().all.push_back(bytes);
}

void remove_mapping(Bytes bytes) {
  std::scoped_lock held(mappings().lock);
  std::erase_if(mappings().all, [&](Bytes other) { return other.data() == bytes.data(); });
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
    const char* folder = std::getenv("TMPDIR");
    folder_ = folder && *folder ? folder : "/tmp";
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
  contents_ = std::move(unpacked.contents);
  bytes_ = mapped_ ? mapped : as_bytes(contents_);
  if (mapped_) add_mapping(bytes_);
  return {};
}

Result<MappedFile> MappedFile::open(const std::string& path) { return open(path, false); }

Result<MappedFile> MappedFile::open_regular(const std::string& path) { return open(path, true); }

Result<MappedFile> MappedFile::open(const std::string& path, bool regular) {
  bool standard_input = path == "-" && !regular;
  int flags = O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0);
  int fd = standard_input ? STDIN_FILENO : ::open(path.c_str(), flags);
  if (fd < 0) return fail("{}: cannot open: {}", path, last_error());

  MappedFile file;
  file.path_ = standard_input ? "standard input" : path;
  struct stat info{};
  Status status;
  if (fstat(fd, &info) != 0) {
    status = fail("cannot read: {}", last_error());
  } else if (S_ISDIR(info.st_mode)) {
    status = fail("is a folder, not a file");
  } else if (regular && !S_ISREG(info.st_mode)) {
    status = fail("is not a regular file");
  } else if (S_ISREG(info.st_mode) && info.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
    auto size = static_cast<size_t>(info.st_size);
    void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    file.mapped_ = address != MAP_FAILED;
    if (file.mapped_) {
      file.bytes_ = {static_cast<const u8*>(address), size};
      add_mapping(file.bytes_);
    }
  }
  if (status && !file.mapped_) {
    status = read_all(fd, file.contents_);
    file.bytes_ = {reinterpret_cast<const u8*>(file.contents_.data()), file.contents_.size()};
  }
  if (!standard_input) ::close(fd);
  if (status && !regular) status = file.unpack_contents();
  if (!status) return std::unexpected(std::move(status).error().in(path));
  return file;
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  std::swap(contents_, other.contents_);
  if (!mapped_) bytes_ = {reinterpret_cast<const u8*>(contents_.data()), contents_.size()};
  return *this;
}

MappedFile::~MappedFile() {
  if (!mapped_) return;
  remove_mapping(bytes_);
  munmap(const_cast<u8*>(bytes_.data()), bytes_.size());
}

void release(Bytes part) {
  auto page = static_cast<u64>(sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<u64>(part.data()), end = begin + part.size();
  begin = (begin + page - 1) & -page;
  end &= -page;
  if (begin >= end) return;
  std::scoped_lock held(mappings().lock);
  bool mapped = std::ranges::any_of(mappings().all, [&](Bytes file) {
    return part.data() >= file.data() && part.data() + part.size() <= file.data() + file.size();
  });
  if (mapped) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace pgokit
