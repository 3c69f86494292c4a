#pragma once

// Numbers out of LLVM's bitstreams: the least significant bit of each byte comes first.
//
//   BitReader in(bytes);
//   u64 id = in.fixed(2), count = in.vbr(6);
//   in.align();                              // to the next four bytes
//   if (!in.ok()) return fail("damaged");    // asked once per record
//
// Past the end everything is zero, and ok() is false.

#include <algorithm>
#include <cstring>

#include "base/types.h"

namespace pgokit {

class BitReader {
 public:
  explicit BitReader(Bytes bytes) : bytes_(bytes), end_(u64{8} * bytes.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ >= end_; }
  u64 position() const { return at_; }  // in bits

  // Up to 64 bits.
  u64 fixed(u32 width) {
    if (width > end_ - at_) [[unlikely]]
      return fail();
    if (width == 0) return 0;
    u64 value = word_at(at_ / 8) >> at_ % 8;
    u32 had = 64 - static_cast<u32>(at_ % 8);
    if (width > had) value |= word_at(at_ / 8 + 8) << had;
    at_ += width;
    return width == 64 ? value : value & ((u64{1} << width) - 1);
  }

  // The highest bit of each piece says that there is another one. `width`: 2 to 32.
  u64 vbr(u32 width) {
    u64 value = 0, more = u64{1} << (width - 1);
    for (u32 shift = 0; shift < 64; shift += width - 1) {
      u64 piece = fixed(width);
      value |= (piece & (more - 1)) << shift;
      if (!(piece & more)) return value;
    }
    return fail();
  }

  void align() { at_ = std::min((at_ + 31) & ~u64{31}, end_); }

  // Whole bytes, from a position that is aligned.
  Bytes take(u64 size) {
    if (size > (end_ - at_) / 8) return fail(), Bytes();
    Bytes taken = bytes_.subspan(at_ / 8, size);
    at_ += 8 * size;
    return taken;
  }

 private:
  u64 fail() {
    at_ = end_;
    ok_ = false;
    return 0;
  }

  u64 word_at(u64 byte) const {
    u64 word = 0;
    if (byte >= bytes_.size()) return 0;
    if (bytes_.size() - byte >= sizeof word) [[likely]]
      std::memcpy(&word, bytes_.data() + byte, sizeof word);
    else
      std::memcpy(&word, bytes_.data() + byte, bytes_.size() - byte);
    return word;
  }

  Bytes bytes_;
  u64 end_;
  u64 at_ = 0;  // in bits
  bool ok_ = true;
};

}  // namespace pgokit
