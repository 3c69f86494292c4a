#pragma once

// How long a recorder may stay awake for a program in a window, so that it has not to be woken for
// what the program asks of it next: as long as there is a processor to spare.
//
//   CpuTime own_time;
//   Attention attention(2, 500'000);                                  // processors, and ns at most
//   attention.update({own_time.now(), idle_ns(), monotonic_ns()});    // ten times a second
//   u64 awake_ns = attention.awake_ns();                              // behind each event

#include "record/system/cpu_time.h"

namespace pgokit::record {

class Attention {
 public:
  Attention(unsigned processors, u64 most_ns)
      : most_ns_(most_ns), shared_(processors < 2), only_one_(shared_) {}

  struct Times {
    CpuTime::Times own;  // the recorder's, since it began
    u64 idle_ns = 0;     // of the processors that it may use
    u64 at_ns = 0;       // on any clock
  };
  void update(const Times& now);
  // Threads may wait for the recorder without having stopped.
  bool is_full() const { return !shared_; }
  u64 awake_ns() const;

 private:
  u64 most_ns_;
  bool shared_;    // its processor, with others that want to run
  bool only_one_;  // for all
  bool has_begun_ = false;
  Times last_, recent_;  // the latter: how much of each, lately
};

}  // namespace pgokit::record
