#pragma once

// The text of perf script. That of `perf script -F ip,brstack --show-mmap-events` is read by the
// rules of llvm-profgen 22: what it takes, drops and complains about is taken, dropped and reported
// here. Text with more columns, which llvm-profgen does not take, by those of script_columns.h.
//
//   auto kind = detect_text(text);             // ScriptKind::invalid: say script_problem()
//   for_each_mmap_line(text, rule, [&](const MmapLine& line) { ... });   // skips the samples
//   auto chunks = split_script(text, kind, 1 << 20);               // may be parsed in parallel
//   ScriptCounts counts = parse_script(chunks[i], kind, sink);
//
// A sink has these functions; addresses are those of the running process:
//
//   void mmap(const MmapLine& line);
//   void event(std::string_view line);    // columns: any but a sample; may be missing
//   bool enter(std::optional<u32> pid);   // columns: false: skip_sample(repeat) in place of the
//                                         // sample; may be missing
//   void begin_sample(u64 repeat);
//   u64 frame_address(u64 address, std::string_view file);   // columns: the running process's, of
//                                         // a frame as it is printed; may be missing
//   bool frame(u64 address);      // leaf first; false: skip everything up to the branch line
//   bool end_of_frames();         // false: the sample is dropped with its branch line
//   void branch(u64 from, u64 to);                       // newest first
//   void branch_not_taken(u64 from, u64 to);             // may be missing: then it is a branch()
//   void end_sample();            // not of dropped ones; there may have been no branch
//   void bad_branch(u64 line, std::string_view text);    // what follows in the line is ignored
//   void no_branch_line();        // frames up to the end of the text; llvm-profgen gives up here
//
// ScriptKind::branches has no frame() and end_of_frames(). A frame line that is no number drops the
// sample: begin_sample() without end. Lines are counted from 1 within the chunk. With columns,
// frames are those of samples that have some, and there are no bad ones.
//
// Source of truth: the behaviour of llvm-profgen 22; script_test.cc and the comparisons with it.

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "perf/mmap_lines.h"
#include "perf/script_columns.h"
#include "perf/script_text.h"

namespace pgokit::perf {

enum class ScriptKind : u8 {
  invalid,
  branches,  // samples of one line: the branch stack, perhaps with the ip in front
  hybrid,    // call chain lines, then a line with the branch stack
  // The same with more columns, comments or mapping events that llvm-profgen does not see.
  columns,
  column_chains,
};
inline bool has_chains(ScriptKind kind) {
  return kind == ScriptKind::hybrid || kind == ScriptKind::column_chains;
}
inline bool has_columns(ScriptKind kind) {
  return kind == ScriptKind::columns || kind == ScriptKind::column_chains;
}

// As llvm-profgen 22 tells them apart; never one with columns.
ScriptKind detect_script(std::string_view text);
// Whatever has branch stacks: by the first sample that has one, and the lines in front of it.
ScriptKind detect_text(std::string_view text);

// Why these found nothing, and what to do about it: for an error message.
std::string script_problem(std::string_view text);

// The first line that belongs to samples of the other kind (`kind` is branches or hybrid); 0: there
// is none.
u64 other_kind_line(std::string_view text, ScriptKind kind);

// Pieces of about `size` bytes that begin and end between samples. What was read of a mapped file for
// that is given back.
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

template <class Sink>
bool parse_column_branches(std::string_view text, Sink& sink) {
  const char* at = text.data();
  const char* end = at + text.size();
  if (text.find('(') == text.npos) return parse_branch_line(text, sink);
  for (; at != end; ++at) {
    ColumnBranch branch;
    if (*at == ' ') continue;
    if (!take_column_branch(at, end, branch)) return false;
    pass_branch(sink, branch.from, branch.to, branch.not_taken);
    if (at == end) break;
  }
  return true;
}

// Tells a sink what a text with columns says.
template <class Sink>
class ColumnVisitor {
 public:
  ColumnVisitor(Sink& sink, ScriptKind kind) : sink_(sink), chains_(has_chains(kind)) {}

  void event(std::string_view line) {
    if constexpr (requires { sink_.event(line); }) sink_.event(line);
    if (is_mmap_line(line, MmapRule::with_columns)) sink_.mmap(parse_mmap_line(line));
  }
  void begin(const SampleColumns& columns, u64 repeat) {
    ++counts.samples;
    framed_ = chains_;
    more_frames_ = true;
    kept_.reset();
    if constexpr (requires { sink_.enter(columns.pid); }) {
      if (!sink_.enter(columns.pid)) {
        more_frames_ = false;
        kept_ = false;
        return sink_.skip_sample(repeat);
      }
    }
    sink_.begin_sample(repeat);
  }
  void frame(u64 address, std::string_view file) {
    framed_ = true;
    if (!more_frames_) return;
    if constexpr (requires { sink_.frame_address(address, file); })
      address = sink_.frame_address(address, file);
    more_frames_ = sink_.frame(address);
  }
  void branches(std::string_view text, u64 number) {
    if (!is_kept() || parse_column_branches(text, sink_)) return;
    ++counts.bad_branches;
    sink_.bad_branch(number, text);
  }
  void end() {
    if (is_kept()) sink_.end_sample();
  }

  ScriptCounts counts;

 private:
  bool is_kept() {
    if (!kept_) kept_ = !framed_ || sink_.end_of_frames();
    return *kept_;
  }

  Sink& sink_;
  bool chains_, framed_ = false, more_frames_ = true;
  std::optional<bool> kept_;
};

template <class Sink>
ScriptCounts parse_columns_of(std::string_view chunk, ScriptKind kind, Sink& sink) {
  ColumnVisitor<Sink> visitor(sink, kind);
  ColumnWalk walk(visitor);
  Lines lines(chunk);
  for (; !lines.at_end(); lines.advance()) walk.line(lines.line(), lines.number());
  walk.end();
  visitor.counts.lines = lines.number();
  return visitor.counts;
}

}  // namespace script_detail

// Of a chunk that for_each_mmap_line() found no mapping events in, lines need not be asked again.
enum class MmapLines : u8 { possible, none };

template <class Sink>
ScriptCounts parse_script(std::string_view chunk, ScriptKind kind, Sink& sink,
                          MmapLines mmap_lines = MmapLines::possible) {
  using namespace script_detail;
  if (has_columns(kind)) return parse_columns_of(chunk, kind, sink);
  ScriptCounts counts;
  Lines lines(chunk);
  while (!lines.at_end()) {
    if (mmap_lines == MmapLines::possible && is_mmap_line(lines.line())) {
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
