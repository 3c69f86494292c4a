#include "record/system/process_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pgokit::record {

Result<ProcessMemory> ProcessMemory::open(pid_t tid) {
  auto path = fmt::format("/proc/{}/mem", tid);
  int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return fail("cannot open {}: {}", path, std::strerror(errno));
  return ProcessMemory(tid, fd);
}

ProcessMemory::ProcessMemory(ProcessMemory&& other) noexcept
    : tid_(other.tid_), fd_(std::exchange(other.fd_, -1)) {}

ProcessMemory& ProcessMemory::operator=(ProcessMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  tid_ = other.tid_;
  return *this;
}

ProcessMemory::~ProcessMemory() {
  if (fd_ >= 0) ::close(fd_);
}

size_t ProcessMemory::read_some(u64 address, void* to, size_t size) {
  auto n = pread(fd_, to, size, static_cast<off_t>(address));
  return n > 0 ? static_cast<size_t>(n) : 0;
}

bool ProcessMemory::read(u64 address, void* to, size_t size) {
  return read_some(address, to, size) == size;
}

bool ProcessMemory::read_data(u64 address, void* to, size_t size) {
  iovec own{to, size}, other{reinterpret_cast<void*>(address), size};
  return process_vm_readv(tid_, &own, 1, &other, 1, 0) == static_cast<ssize_t>(size) ||
         read(address, to, size);
}

bool ProcessMemory::all_there(std::span<const u64> addresses) {
  constexpr size_t most = 64;
  u8 bytes[most];
  while (!addresses.empty()) {
    iovec own{bytes, std::min(addresses.size(), most)}, others[most];
    for (size_t i = 0; i < own.iov_len; ++i) others[i] = {reinterpret_cast<void*>(addresses[i]), 1};
    auto got = process_vm_readv(tid_, &own, 1, others, own.iov_len, 0);
    bool forbidden = got < 0 && errno != EFAULT;
    if (!forbidden && got != static_cast<ssize_t>(own.iov_len)) return false;
    addresses = addresses.subspan(own.iov_len);
  }
  return true;
}

bool ProcessMemory::write(u64 address, Bytes bytes) {
  auto n = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(address));
  return n >= 0 && static_cast<size_t>(n) == bytes.size();
}

// Seccomp profiles forbid process_vm_writev(2) more often than ptrace(2).
bool ProcessMemory::write_singly(std::span<const Word> words) {
  return std::ranges::all_of(words, [&](const Word& word) {
    return write(word.address, Bytes(reinterpret_cast<const u8*>(&word.value), sizeof word.value));
  });
}

bool ProcessMemory::write_words(std::span<const Word> words) {
  constexpr size_t most = 64;
  while (!words.empty()) {
    iovec from[most], to[most];
    size_t n = std::min(words.size(), most);
    for (size_t i = 0; i < n; ++i) {
      from[i] = {const_cast<u64*>(&words[i].value), 8};
      to[i] = {reinterpret_cast<void*>(words[i].address), 8};
    }
    auto written = process_vm_writev(tid_, from, n, to, n, 0);
    bool forbidden = written < 0 && (errno == EPERM || errno == ENOSYS);
    if (forbidden) {
      if (!write_singly(words.first(n))) return false;
    } else if (written != static_cast<ssize_t>(8 * n)) {
      return false;
    }
    words = words.subspan(n);
  }
  return true;
}

}  // namespace pgokit::record
