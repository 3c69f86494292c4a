#pragma once

// One line on the terminal for work that takes long; nothing in a pipe.
//
//   Progress progress("reading app.perf", total_bytes);
//   progress.advance(chunk);             // bytes, from any thread
//
// With a total, the line tells the rate and the time that is left.

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

#include "base/types.h"

namespace pgokit {

// "12.5 MB/s, 1:05 left"; empty before anything is done.
std::string pace(u64 done, u64 total, double seconds);

class Progress {
 public:
  // `total` 0: how much there is to do is not known. Not `shown`: nothing is printed.
  Progress(std::string what, u64 total, bool shown = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(u64 done);
  // Replaces the bar by a text of the caller's, for work without an end.
  void show(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  bool due();
  void draw(const std::string& line);

  std::string what_;
  u64 total_;
  std::atomic<u64> done_{0};
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point begun_, next_;
  std::mutex mutex_;
};

}  // namespace pgokit
