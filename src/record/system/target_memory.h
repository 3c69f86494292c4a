#pragma once

// The memory of the process that is recorded. Tests put their own process here.

#include <span>

#include "base/types.h"

namespace pgokit::record {

class TargetMemory {
 public:
  struct Word {
    u64 address, value;
  };

  virtual ~TargetMemory() = default;
  // All of it or false.
  virtual bool read(u64 address, void* to, size_t size) = 0;
  // Whatever its protection is.
  virtual bool write(u64 address, Bytes bytes) = 0;
  // Each word appears whole to the threads of the process.
  virtual bool write_words(std::span<const Word> words) = 0;
};

}  // namespace pgokit::record
