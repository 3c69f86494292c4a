#pragma once

// The memory of another process through /proc/PID/mem. Works at any time for a tracer, also on
// pages that the process itself may not write.

#include <sys/types.h>

#include <span>
#include <vector>

#include "base/result.h"
#include "record/system/target_memory.h"

namespace pgokit::record {

class ProcessMemory : public TargetMemory {
 public:
  static Result<ProcessMemory> open(pid_t tid);
  // Words are written by way of a thread that lives, which the first one need not do any more.
  void use(pid_t tid) { tid_ = tid; }
  ProcessMemory(ProcessMemory&& other) noexcept;
  ProcessMemory& operator=(ProcessMemory&& other) noexcept;
  ~ProcessMemory() override;

  bool read(u64 address, void* to, size_t size) override;
  bool write(u64 address, Bytes bytes) override;
  // The words must lie in writable pages.
  bool write_words(std::span<const Word> words) override;
  // The same faster, of much data that the process itself may read.
  bool read_data(u64 address, void* to, size_t size);
  // Whether there is something to read at each of these addresses; true too where that may not be
  // asked.
  bool all_there(std::span<const u64> addresses);
  // As much as can be read; returns the number of bytes.
  size_t read_some(u64 address, void* to, size_t size);

 private:
  bool write_singly(std::span<const Word> words);

  ProcessMemory(pid_t tid, int fd) : tid_(tid), fd_(fd) {}

  pid_t tid_ = 0;
  int fd_ = -1;
};

}  // namespace pgokit::record
