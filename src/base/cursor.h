#pragma once

// Little-endian values out of untrusted bytes.
//
//   Cursor in(record);
//   auto pid = in.get<u32>();
//   auto branches = in.array<Branch>(in.get<u64>());   // a view; Branch has Le<> members only
//   if (!in.ok()) ++broken;                            // asked once per record
//
// The first read past the end marks the cursor as failed; that read and all later ones return zero,
// so a decoder runs straight through. No count taken from the input sizes an allocation.

#include <cstring>
#include <string_view>

#include "base/types.h"

namespace pgokit {

// A little-endian integer inside a mapped file: any alignment, reads like T.
template <class T>
class Le {
 public:
  Le() = default;
  Le(T value) { std::memcpy(bytes_, &value, sizeof(T)); }

  operator T() const {
    T value;
    std::memcpy(&value, bytes_, sizeof(T));
    return value;
  }

 private:
  u8 bytes_[sizeof(T)];
};

class Cursor {
 public:
  explicit Cursor(Bytes bytes) : begin_(bytes.data()), at_(begin_), end_(at_ + bytes.size()) {}

  bool ok() const { return !failed_; }
  bool at_end() const { return at_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  size_t position() const { return static_cast<size_t>(at_ - begin_); }
  Bytes rest() const { return {at_, left()}; }

  template <class T>
  T get() {
    T value{};
    if (left() < sizeof(T)) [[unlikely]]
      return fail(), value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  Bytes bytes(u64 n) {
    if (n > left()) [[unlikely]]
      return fail(), Bytes{};
    Bytes taken{at_, static_cast<size_t>(n)};
    at_ += n;
    return taken;
  }

  void skip(u64 n) { bytes(n); }

  // A view of `n` consecutive T, each made of Le<> members only.
  template <class T>
  std::span<const T> array(u64 n) {
    static_assert(alignof(T) == 1, "mapped data may be misaligned: use Le<>");
    if (n > left() / sizeof(T)) [[unlikely]]
      return fail(), std::span<const T>{};
    Bytes taken = bytes(n * sizeof(T));
    return {reinterpret_cast<const T*>(taken.data()), static_cast<size_t>(n)};
  }

  // The text up to a NUL, which is consumed; without one the cursor fails.
  std::string_view cstring() {
    const void* nul = left() ? std::memchr(at_, 0, left()) : nullptr;
    if (!nul) [[unlikely]]
      return fail(), std::string_view{};
    auto size = static_cast<size_t>(static_cast<const u8*>(nul) - at_);
    std::string_view text(reinterpret_cast<const char*>(at_), size);
    at_ += size + 1;
    return text;
  }

  // Bits past the 64th must be zero (padding bytes may follow).
  u64 uleb128() {
    if (at_ < end_ && *at_ < 0x80) [[likely]]
      return *at_++;
    return uleb128_long();
  }
  i64 sleb128();

 private:
  u64 uleb128_long();
  void fail() { failed_ = true, at_ = end_; }

  const u8* begin_;
  const u8* at_;
  const u8* end_;
  bool failed_ = false;
};

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const u8*>(text.data()), text.size()};
}

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace pgokit
