#pragma once

// The records inside COMPRESSED and COMPRESSED2 records: pieces of one continuing zstd stream.
//
//   Unpacker unpacker;
//   for (const Record& record : compressed) {
//     if (!unpacker.add(record, [&](Bytes records) { ... })) break;   // whole records
//   }
//
// What is unpacked at a time is bounded (some MB), and what may be unpacked in all is bounded by
// the size of what was packed.

#include <functional>
#include <memory>
#include <vector>

#include "perf/records.h"

namespace pgokit::perf {

class Unpacker {
 public:
  Unpacker();
  ~Unpacker();

  // Passes on all records that are complete with this piece; they are valid during the call. False:
  // the stream is damaged and nothing more can be read of it.
  bool add(const Record& record, const std::function<void(Bytes records)>& each);

  u64 packed() const { return packed_; }
  u64 unpacked() const { return unpacked_; }
  // Bytes of a record whose end is in a piece to come; at the end of the recording: cut off.
  u64 pending() const { return used_; }

 private:
  struct Stream;
  bool pass_on(const std::function<void(Bytes records)>& each);

  std::unique_ptr<Stream> stream_;
  std::vector<u8> buffer_;
  size_t used_ = 0;
  u64 packed_ = 0, unpacked_ = 0;
  bool failed_ = false;
};

}  // namespace pgokit::perf
