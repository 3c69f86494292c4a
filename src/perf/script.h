#pragma once

// The text of `perf script -F ip,brstack --show-mmap-events`, read by the rules of llvm-profgen 22:
// what it takes, drops and complains about is taken, dropped and reported here.
//
//   auto kind = detect_script(text);                     // ScriptKind::invalid: say
//   script_problem() auto chunks = split_script(text, kind, 1 << 22);     // may be parsed in
//   parallel for_each_mmap_line(text, [&](const MmapLine& line) { ... });   // fast: skips the
//   samples ScriptCounts counts = parse_script(chunks[i], kind, sink);
//
// A sink has these functions; addresses are those of the running process:
//
//   void mmap(const MmapLine& line);
//   void begin_sample(u64 repeat);
//   bool frame(u64 address);      // leaf first; false: skip everything up to the branch line
//   bool end_of_frames();         // false: the sample is dropped with its branch line
//   void branch(u64 from, u64 to);                       // newest first
//   void end_sample();            // not of dropped ones; there may have been no branch
//   void bad_branch(u64 line, std::string_view text);    // what follows in the line is ignored
//   void no_branch_line();        // frames up to the end of the text; llvm-profgen gives up here
//
// ScriptKind::branches has no frame() and end_of_frames(). A frame line that is no number drops the
// sample: begin_sample() without end. Lines are counted from 1 within the chunk.
//
// Source of truth: the behaviour of llvm-profgen 22; script_test.cc and the comparisons with it.

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit::perf {

enum class ScriptKind : u8 {
  invalid,
  branches,  // samples of one line: the branch stack, perhaps with the ip in front
  hybrid,    // call chain lines, then a line with the branch stack
};

ScriptKind detect_script(std::string_view text);

// Why detect_script() found nothing, and what to do about it: for an error message.
std::string script_problem(std::string_view text);

struct MmapLine {
  bool parsed = false;  // false: it looks like one, but only `line` is set
  std::string_view line = {};
  i64 pid = 0;
  u64 start = 0, size = 0, file_offset = 0;
  std::string_view protection = {}, path = {};
};

bool is_mmap_line(std::string_view line);
MmapLine parse_mmap_line(std::string_view line);
// In the order of the text; line.data() tells the place.
void for_each_mmap_line(std::string_view text, const std::function<void(const MmapLine&)>& each);

// Pieces of about `size` bytes that begin and end between samples.
std::vector<std::string_view> split_script(std::string_view text, ScriptKind kind, size_t size);

struct ScriptCounts {
  u64 lines = 0;
  u64 samples = 0;       // as llvm-profgen counts: a blank line is a sample without content
  u64 bad_frames = 0;    // samples dropped for a frame line that is neither number nor blank
  u64 bad_branches = 0;  // branch lines that are broken
};

// The lines of a text, each without its newline; a last one without newline counts.
class Lines {
 public:
  explicit Lines(std::string_view text) : at_(text.data()), end_(at_ + text.size()) { advance(); }

  bool at_end() const { return done_; }
  std::string_view line() const { return line_; }  // empty at the end
  u64 number() const { return number_; }

  void advance() {
    if (at_ == end_) return done_ = true, line_ = {}, void();
    const void* newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    const char* stop = newline ? static_cast<const char*>(newline) : end_;
    line_ = {at_, static_cast<size_t>(stop - at_)};
    at_ = newline ? stop + 1 : end_;
    ++number_;
  }

 private:
  const char* at_;
  const char* end_;
  std::string_view line_;
  u64 number_ = 0;
  bool done_ = false;
};

namespace script_detail {

inline constexpr u8 no_digit = 0xff;
constexpr std::array<u8, 256> make_hex_digits() {
  std::array<u8, 256> table{};
  for (auto& digit : table) digit = no_digit;
  for (u8 i = 0; i < 10; ++i) table['0' + i] = i;
  for (u8 i = 0; i < 6; ++i) table['a' + i] = table['A' + i] = static_cast<u8>(10 + i);
  return table;
}
inline constexpr auto hex_digits = make_hex_digits();

inline u8 hex_digit(char c) { return hex_digits[static_cast<u8>(c)]; }

// All of `text` as a number without prefix; false if it is none or has more than 64 bits.
inline bool parse_hex(std::string_view text, u64& value) {
  if (text.empty()) return false;
  u64 sum = 0;
  for (char c : text) {
    u8 digit = hex_digit(c);
    if (digit == no_digit || sum >> 60) return false;
    sum = sum << 4 | digit;
  }
  value = sum;
  return true;
}

bool parse_decimal(std::string_view text, u64& value);

inline std::string_view trim_left(std::string_view line) {
  size_t first = line.find_first_not_of(" \t\n\v\f\r");
  return first == line.npos ? std::string_view{} : line.substr(first);
}

// One address of a branch: its first two characters do not matter, then digits up to `at`, which
// is left on what follows them.
inline bool take_address(const char*& at, const char* end, u64& value) {
  if (end - at < 3) return false;
  // A separator among the first two makes the address too short.
  if (at[0] == '/' || at[1] == '/') return false;
  at += 2;
  const char* first = at;
  u64 sum = 0;
  while (at != end) {
    u8 digit = hex_digit(*at);
    if (digit == no_digit) break;
    if (sum >> 60) return false;
    sum = sum << 4 | digit;
    ++at;
  }
  value = sum;
  return at != first;
}

// How many of the 8 characters are lower-case hexadecimal digits before the first that is none.
inline unsigned digits_in(u64 text) {
  constexpr u64 each = 0x0101010101010101, high = each * 0x80;
  u64 ascii = text & ~high;
  auto at_least = [&](u64 c) { return ascii + each * (0x80 - c); };
  u64 digit = at_least('0') & ~at_least('9' + 1), letter = at_least('a') & ~at_least('f' + 1);
  u64 other = ~((digit | letter) & ~text) & high;
  return static_cast<unsigned>(std::countr_zero(other)) / 8;
}

// 8 characters, digits or zero bytes, as a number; the first is the highest digit.
inline u64 value_of_digits(u64 text) {
  constexpr u64 each = 0x0101010101010101;
  u64 digits = (text & each * 0x0f) + 9 * (text >> 6 & each);
  u64 bytes = digits * 0x1001 >> 8 & 0x00ff00ff00ff00ff;
  u64 pairs = bytes * 0x01000001 >> 16 & 0x0000ffff0000ffff;
  return (pairs << 16 | pairs >> 32) & 0xffffffff;
}

// The common form of an address, 0x and 1 to 15 digits, where 18 bytes can be read. False: not so.
inline bool take_common_address(const char*& at, u64& value) {
  u64 first, second;
  std::memcpy(&first, at + 2, 8);
  std::memcpy(&second, at + 10, 8);
  if (at[0] != '0' || at[1] != 'x') return false;
  unsigned count = digits_in(first);
  if (count == 8) {
    unsigned more = digits_in(second);
    if (more == 8) return false;
    u64 low = more ? value_of_digits(second << (64 - 8 * more)) : 0;
    value = value_of_digits(first) << 4 * more | low;
    count += more;
  } else {
    if (count == 0) return false;
    value = value_of_digits(first << (64 - 8 * count));
  }
  at += 2 + count;
  return true;
}

// A branch in the common form, "0xFROM/0xTO/P/-/-/0 ", up to the slash behind TO, where `span`
// bytes can be read: 3x faster than character by character.
inline constexpr std::ptrdiff_t common_branch_span = 40;
inline bool take_common_branch(const char*& at, u64& from, u64& to) {
  const char* next = at;
  if (!take_common_address(next, from) || *next != '/') return false;
  ++next;
  if (!take_common_address(next, to) || *next != '/') return false;
  at = next;
  return true;
}

// "0xFROM/0xTO" and anything behind a further slash.
inline bool take_branch(std::string_view token, u64& from, u64& to) {
  const char* at = token.data();
  const char* end = at + token.size();
  if (!take_address(at, end, from) || at == end || *at != '/') return false;
  ++at;
  return take_address(at, end, to) && (at == end || *at == '/');
}

template <class Sink>
bool parse_branch_line(std::string_view line, Sink& sink) {
  size_t last = line.find_last_not_of(" \t\n\v\f\r");
  if (last == line.npos) return true;
  const char* at = line.data();
  const char* end = at + last + 1;
  for (bool first = true; at != end; first = false) {
    while (*at == ' ') ++at;  // the last character is not a space
    u64 from, to;
    if (end - at >= common_branch_span && take_common_branch(at, from, to)) [[likely]] {
      sink.branch(from, to);
      while (at != end && *at != ' ') ++at;
      continue;
    }
    const void* space = std::memchr(at, ' ', static_cast<size_t>(end - at));
    const char* stop = space ? static_cast<const char*>(space) : end;
    std::string_view token(at, static_cast<size_t>(stop - at));
    at = stop;
    if (take_branch(token, from, to)) [[likely]]
      sink.branch(from, to);
    else if (!first || token.find('/') != token.npos || !parse_hex(token, from))
      return false;
  }
  return true;
}

inline bool is_branch_line(std::string_view line) { return line.starts_with(" 0x"); }

// The frames up to the branch line; false: the sample is to be dropped.
template <class Sink>
bool parse_frames(Lines& lines, Sink& sink, ScriptCounts& counts) {
  while (!lines.at_end() && !is_branch_line(lines.line())) {
    u64 address;
    std::string_view text = trim_left(lines.line());
    bool number = parse_hex(text, address), blank = text.empty();
    lines.advance();
    if (!number) return counts.bad_frames += !blank, false;
    if (!sink.frame(address)) break;
  }
  while (!lines.at_end() && !is_branch_line(lines.line())) lines.advance();
  return sink.end_of_frames();
}

}  // namespace script_detail

template <class Sink>
ScriptCounts parse_script(std::string_view chunk, ScriptKind kind, Sink& sink) {
  using namespace script_detail;
  ScriptCounts counts;
  Lines lines(chunk);
  while (!lines.at_end()) {
    if (is_mmap_line(lines.line())) {
      sink.mmap(parse_mmap_line(lines.line()));
      lines.advance();
      continue;
    }
    ++counts.samples;
    u64 repeat = 1;
    if (parse_decimal(lines.line(), repeat)) lines.advance();
    sink.begin_sample(repeat);
    if (kind == ScriptKind::hybrid && !parse_frames(lines, sink, counts)) {
      if (is_branch_line(lines.line())) lines.advance();
    } else if (kind == ScriptKind::hybrid && lines.at_end()) {
      sink.no_branch_line();
    } else {
      if (!parse_branch_line(lines.line(), sink)) {
        ++counts.bad_branches;
        sink.bad_branch(lines.number(), lines.line());
      }
      sink.end_sample();
      lines.advance();
    }
  }
  counts.lines = lines.number();
  return counts;
}

}  // namespace pgokit::perf
