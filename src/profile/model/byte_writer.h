#pragma once

// Bytes of a file that is being made.

#include <charconv>
#include <string>
#include <string_view>

#include "base/cursor.h"
#include "base/leb128.h"

namespace pgokit::profile {

class ByteWriter {
 public:
  void byte(u8 value) { bytes_.push_back(static_cast<char>(value)); }
  void u64le(u64 value) {
    Le<u64> little(value);
    bytes_.append(reinterpret_cast<const char*>(&little), sizeof little);
  }
  void uleb128(u64 value) {
    char encoded[longest_leb128];
    size_t n = 0;
    put_uleb128(value, [&](u8 one) { encoded[n++] = static_cast<char>(one); });
    bytes_.append(encoded, n);
  }
  void cstring(std::string_view text) {
    bytes_.append(text);
    bytes_.push_back('\0');
  }
  void text(std::string_view text) { bytes_.append(text); }
  void text(char c) { bytes_.push_back(c); }
  void decimal(u64 value) {
    char digits[20];
    auto end = std::to_chars(digits, std::end(digits), value).ptr;
    bytes_.append(digits, static_cast<size_t>(end - digits));
  }
  void spaces(size_t n) { bytes_.append(n, ' '); }

  size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace pgokit::profile
