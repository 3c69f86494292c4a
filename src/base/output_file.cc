#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/printable.h"

namespace pgokit {
namespace {

namespace fs = std::filesystem;

constexpr int most_attempts = 100;

std::string last_error() { return std::strerror(errno); }

// SIGXFSZ as it was, and ignored from here on.
struct FileSizeSignal {
  struct sigaction former{};
  FileSizeSignal() {
    struct sigaction ignored{};
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignored, &former);
  }
};

FileSizeSignal& file_size_signal() {
  static FileSizeSignal signal;
  return signal;
}

// The number of a descriptor that the path is another name of; -1: of none.
int descriptor_of(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder) || path.size() == folder.size()) continue;
    char* end = nullptr;
    long number = std::strtol(path.c_str() + folder.size(), &end, 10);
    if (*end == 0 && number >= 0 && number < 1 << 20) return static_cast<int>(number);
  }
  return -1;
}

std::string random_name(const std::string& target) {
  u64 number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = u64(getpid());
  return fmt::format("{}.{:016x}.tmp", target, number);
}

// A file beside `target`: without a name where the file system knows such, else with a new one.
int open_temporary(const std::string& target, std::string& name) {
  auto folder = fs::path(target).parent_path();
  int fd = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (fd >= 0) {
    if (access(fmt::format("/proc/self/fd/{}", fd).c_str(), F_OK) == 0) return fd;
    ::close(fd);
  }
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    auto candidate = random_name(target);
    fd = ::open(candidate.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0) return name = std::move(candidate), fd;
    if (errno != EEXIST) break;
  }
  return -1;
}

}  // namespace

void restore_file_size_signal() { sigaction(SIGXFSZ, &file_size_signal().former, nullptr); }

Result<OutputFile> OutputFile::create(const std::string& path) {
  file_size_signal();
  OutputFile out;
  out.path_ = path;
  if (int descriptor = descriptor_of(path); descriptor >= 0) {
    out.escapes_ = isatty(descriptor) == 1;
    if (descriptor == STDOUT_FILENO) return out.file_ = stdout, std::move(out);
    int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    out.file_ = fd < 0 ? nullptr : fdopen(fd, "w");
    if (!out.file_) return fail("{}: cannot write: {}", path, last_error());
    return out;
  }
  struct stat info{};
  bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return fail("{}: is a folder, not a file", path);
  if (exists && !S_ISREG(info.st_mode)) {  // /dev/null, a named pipe
    out.file_ = std::fopen(path.c_str(), "we");
    if (!out.file_) return fail("{}: cannot write: {}", path, last_error());
    return out;
  }
  std::error_code error;
  auto canonical = exists ? fs::canonical(path, error) : fs::path();
  out.target_ = error || canonical.empty() ? path : canonical.string();
  int fd = open_temporary(out.target_, out.temporary_);
  if (fd >= 0 && exists) fchmod(fd, info.st_mode & 07777);
  out.file_ = fd < 0 ? nullptr : fdopen(fd, "w");
  if (!out.file_) return fail("{}: cannot write: {}", path, last_error());
  return out;
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  std::swap(escapes_, other.escapes_);
  return *this;
}

OutputFile::~OutputFile() {
  if (file_ && file_ != stdout) std::fclose(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

// A failed write shows in the stream's error state, which commit() asks.
void OutputFile::write(std::string_view text) {
  std::string escaped;
  if (escapes_) text = escaped = printable(text);
  std::fwrite(text.data(), 1, text.size(), file_);
  size_ += text.size();
}

void OutputFile::write_at(u64 offset, Bytes bytes) {
  std::fseek(file_, static_cast<long>(offset), SEEK_SET);
  std::fwrite(bytes.data(), 1, bytes.size(), file_);
  std::fseek(file_, 0, SEEK_END);
}

bool OutputFile::can_seek() const {
  return lseek(fileno(file_), 0, SEEK_CUR) == static_cast<off_t>(size_) &&
         (fcntl(fileno(file_), F_GETFL) & O_APPEND) == 0;
}

// A name that is taken cannot be linked to, only renamed over.
bool OutputFile::give_name() {
  if (temporary_.empty()) {
    auto unnamed = fmt::format("/proc/self/fd/{}", fileno(file_));
    auto link = [&](const std::string& name) {
      return linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(target_)) return true;
    for (int attempt = 0; errno == EEXIST && attempt < most_attempts; ++attempt)
      if (auto name = random_name(target_); link(name)) {
        temporary_ = name;
        break;
      }
    if (temporary_.empty()) return false;
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) return false;
  temporary_.clear();
  return true;
}

Status OutputFile::commit() {
  bool good = std::fflush(file_) == 0 && !std::ferror(file_);
  if (good && !target_.empty()) good = give_name();
  int error = errno;
  if (file_ != stdout && std::fclose(file_) != 0 && good) error = errno, good = false;
  file_ = nullptr;
  if (good) return {};
  return fail("{}: cannot write: {}", path_ == "-" ? "standard output" : path_,
              std::strerror(error));
}

}  // namespace pgokit
