#pragma once

// One line on the terminal for work that takes long; nothing in a pipe.
//
//   Progress progress("reading app.perf", total_bytes);
//   progress.advance(chunk);             // from any thread

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

#include "base/types.h"

namespace pgokit {

class Progress {
 public:
  // `total` 0: how much there is to do is not known.
  Progress(std::string what, u64 total);
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
  Clock::time_point next_;
  std::mutex mutex_;
};

}  // namespace pgokit
