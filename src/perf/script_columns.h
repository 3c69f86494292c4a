#pragma once

// Text of perf script with whatever columns it was printed: perf script, -F +brstack,
// -F pid,ip,sym,dso,brstack, --header, with and without call chains and branch stacks.
//
//   [COMM] [PID[/TID]] [[CPU]] [TIME:] [PERIOD] [EVENT:] [IP [SYMBOL] [(FILE)]] [BRANCHES]
//   <tab>FRAME [SYMBOL] [(FILE)]            frames, leaf first, where there are call chains
//    BRANCHES                               behind the frames
//
// where BRANCHES are 0xFROM[(FILE)]/0xTO[(FILE)]/FLAGS.... Comments (#) and events other than
// samples may stand between, and a number alone says how often the next sample was seen.
//
//   struct Visitor {
//     void event(std::string_view line);                       // PERF_RECORD_...
//     void begin(const SampleColumns& columns, u64 repeat);
//     void frame(u64 address, std::string_view file);          // file: empty: not printed
//     void frame_line(std::string_view line);                  // in place of frame(): whole lines,
//                                                              // of inlined functions too
//     void branches(std::string_view text, u64 line_number);   // see take_column_branch()
//     void end();
//   } visitor;
//   script_detail::ColumnWalk<Visitor> walk(visitor);
//   for (Lines lines(text); !lines.at_end(); lines.advance())
//     walk.line(lines.line(), lines.number());
//   walk.end();

#include <optional>
#include <string_view>

#include "perf/script_text.h"

namespace pgokit::perf {

// What the first line of a sample tells.
struct SampleColumns {
  bool is_sample = false;
  std::optional<u32> pid;         // the thread's, where only that is printed
  std::optional<u64> ip;          // absent: the frames follow
  std::string_view event = {};    // "cycles:u"; empty: there is no such column
  std::string_view command = {};  // what stands in front of the process; empty: nothing
  std::optional<u32> tid = {};    // of "PID/TID"
  std::optional<u64> period = {};
  u64 time = 0;                 // ns; 0: there is no such column
  std::string_view place = {};  // from the address on: "77 main (/bin/app)"
};

// `with_frames`: frames follow, so that no column is the address.
SampleColumns parse_columns(std::string_view line, bool with_frames);

// Where the branches of a line begin; npos: it has none.
size_t branches_in(std::string_view line);

// A line of any event but a sample.
bool is_event_line(std::string_view line);

// The address of a frame; nothing for functions inlined at the next one, and for no frame.
std::optional<u64> frame_address(std::string_view line);
// Its file, in parentheses at the end; empty: there is none.
std::string_view frame_file(std::string_view line);

namespace script_detail {

// "0xFROM/0xTO/P/-/-/0", with the files in parentheses or without; `at` is left behind it.
struct ColumnBranch {
  u64 from = 0, to = 0;
  bool not_taken = false;
};
bool take_column_branch(const char*& at, const char* end, ColumnBranch& branch);

inline bool is_comment(std::string_view line) { return line.starts_with('#'); }
inline bool is_blank(std::string_view line) { return trim_left(line).empty(); }
// A line of a sample, not of its frames: where its branches begin; npos: it has none.
inline size_t branches_of_sample(std::string_view line) {
  bool other = is_comment(line) || is_blank(line) || line.front() == '\t' || is_event_line(line);
  return other ? line.npos : branches_in(line);
}

template <class Visitor>
class ColumnWalk {
 public:
  // `counted`: numbers alone are repeat counts, not addresses.
  explicit ColumnWalk(Visitor& visitor, bool counted = true)
      : visitor_(visitor), counted_(counted) {}

  void line(std::string_view text, u64 number) {
    u64 repeat;
    if (is_comment(text)) return;
    if (is_blank(text)) return end();
    if (text.front() == '\t') return frame(text);
    if (is_event_line(text)) return visitor_.event(text);
    if (counted_ && parse_decimal(text, repeat)) return end(), void(repeat_ = repeat);
    size_t branches = branches_in(text);
    bool alone = branches != text.npos && is_blank(text.substr(0, branches));
    if (!alone || !framed_) {
      end();
      head_ = text.substr(0, branches);
      open_ = true;
    }
    if (branches == text.npos) return;
    begin(true);
    visitor_.branches(text.substr(branches), number);
    end();
  }

  void end() {
    if (open_) begin(false);
    if (begun_) visitor_.end(), repeat_ = 1;
    open_ = begun_ = framed_ = false;
    head_ = {};
  }

 private:
  // What the columns mean is known only when the line after them is. `sure`: a sample in any case.
  void begin(bool sure) {
    if (begun_) return;
    auto columns = parse_columns(head_, framed_);
    begun_ = sure || columns.is_sample;
    if (begun_) visitor_.begin(columns, repeat_);
    open_ = false;
  }

  void frame(std::string_view text) {
    framed_ = true;
    begin(true);
    if constexpr (requires { visitor_.frame_line(text); })
      visitor_.frame_line(text);
    else if (auto address = frame_address(text))
      visitor_.frame(*address, frame_file(text));
  }

  Visitor& visitor_;
  bool counted_;
  std::string_view head_;
  u64 repeat_ = 1;
  bool open_ = false, begun_ = false, framed_ = false;
};

}  // namespace script_detail

}  // namespace pgokit::perf
