#pragma once

// The threads of a Firefox profile: each has tables of its own, of what it ran.

#include <array>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/text_buffer.h"
#include "stacks/write/functions.h"

namespace pgokit::stacks {

// Names and colors; the gray one is for what has none. In the order of Code, behind the first.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> firefox_categories{
    {{"Other", "grey"}, {"User", "yellow"}, {"Kernel", "orange"}, {"JIT", "blue"}}};

class FirefoxThreads {
 public:
  FirefoxThreads(const Stacks& stacks, report::TextBuffer& out);

  // Of one track, by time.
  void write(std::span<const Sample> samples);

 private:
  struct FrameRow {
    u32 location, number;  // of the frame in the location
    u32 function;
  };
  struct StackRow {
    u32 frame, category;
    u32 prefix;  // ~0: none
  };

  void collect(std::span<const Sample> samples);
  u32 stack_of(u32 node);
  u32 function_row(u32 function);
  u32 string(std::string_view text);

  void write_head(const Track& track);
  void write_samples(std::span<const Sample> samples);
  void write_stacks();
  void write_frames();
  void write_functions();
  void write_strings();
  double milliseconds(std::span<const Sample> samples, size_t i) const;

  // "NAME":[...] with a value for each of `rows`.
  template <class Rows, class Value>
  void column(std::string_view name, const Rows& rows, Value value);

  const Stacks& stacks_;
  report::TextBuffer& out_;
  FunctionList functions_;
  u64 first_time_ = 0;

  // Of the thread that is written. By number in the stacks, 0: not in the thread, else one more
  // than the number of the row.
  std::vector<u32> stack_by_node_, frame_by_location_, row_by_function_, row_by_module_;
  std::vector<StackRow> stack_rows_;
  std::vector<FrameRow> frame_rows_;
  std::vector<u32> function_rows_, modules_, path_, nodes_;
  std::unordered_map<std::string, u32> string_numbers_;
  std::vector<std::string_view> strings_;
};

}  // namespace pgokit::stacks
