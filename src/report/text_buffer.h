#pragma once

// Text that is made piece by piece, for outputs of hundreds of megabytes: appending to a
// std::string took half of their time.
//
//   TextBuffer out;
//   out.text("count: "), out.decimal(7), out.text('\n');
//   take(out.view());
//   out.clear();                            // the memory stays
//
// With somebody to take it, text of any length needs 64 kB: TextBuffer out(take); ... out.flush();

#include <charconv>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>

#include "base/types.h"

namespace pgokit::report {

using TakeText = std::function<void(std::string_view)>;

class TextBuffer {
 public:
  TextBuffer() = default;
  explicit TextBuffer(TakeText take) : take_(std::move(take)) {}

  void text(std::string_view text) {
    make_room(text.size());
    copy_short(&bytes_[size_], text.data(), text.size());
    size_ += text.size();
  }
  void text(char c) {
    make_room(1);
    bytes_[size_++] = c;
  }
  void spaces(size_t n) {
    make_room(n);
    for (size_t done = 0; done < n; done += 8) std::memcpy(&bytes_[size_ + done], "        ", 8);
    size_ += n;
  }
  void decimal(u64 number) {
    make_room(20);
    char* begin = &bytes_[size_];
    if (number < 10) {
      *begin = static_cast<char>('0' + number);
      ++size_;
      return;
    }
    size_ += static_cast<size_t>(std::to_chars(begin, begin + 20, number).ptr - begin);
  }

  std::string_view view() const { return {bytes_.get(), size_}; }
  void clear() { size_ = 0; }
  void flush() { take_(view()), clear(); }

 private:
  static constexpr size_t enough = 1 << 16;

  // Names are short, and a call of memcpy for each took a quarter of the time.
  static void copy_short(char* to, const char* from, size_t n) {
    if (n > 64) {
      std::memcpy(to, from, n);
    } else if (n >= 16) {
      copy_ends<16>(to, from, n);
      if (n > 32) std::memcpy(to + 16, from + 16, 16), std::memcpy(to + n - 32, from + n - 32, 16);
    } else if (n >= 8) {
      copy_ends<8>(to, from, n);
    } else if (n >= 4) {
      copy_ends<4>(to, from, n);
    } else {
      for (size_t i = 0; i < n; ++i) to[i] = from[i];
    }
  }
  template <size_t part>
  static void copy_ends(char* to, const char* from, size_t n) {
    std::memcpy(to, from, part);
    std::memcpy(to + n - part, from + n - part, part);
  }

  void make_room(size_t n) {
    if (n + 8 > capacity_ - size_) [[unlikely]]  // spaces() writes up to 7 more
      grow(n + 8);
  }
  void grow(size_t n) {
    if (take_ && size_ >= enough) {
      flush();
      if (n <= capacity_) return;
    }
    capacity_ = 2 * capacity_ + n + 4096;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (size_) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
  }

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0, capacity_ = 0;
  TakeText take_;
};

}  // namespace pgokit::report
