#pragma once

// The CPU time of a thread, of another process perhaps, by /proc/PID/task/TID/schedstat.
//
//   CpuTime time;
//   time.open(pid, tid);
//   u64 ns = time.now_ns();                 // exact while the thread is stopped; 0: not known

#include <sys/types.h>

#include "base/types.h"

namespace pgokit::record {

class CpuTime {
 public:
  CpuTime() = default;
  CpuTime(CpuTime&& other) noexcept;
  CpuTime& operator=(CpuTime&& other) noexcept;
  ~CpuTime();

  bool open(pid_t pid, pid_t tid);
  bool is_open() const { return file_ >= 0; }
  u64 now_ns() const { return now().used_ns; }
  // And how long it has waited for a processor, and how often it has got one.
  struct Times {
    u64 used_ns = 0, waited_ns = 0, times = 0;
  };
  Times now() const;

 private:
  int file_ = -1;
};

}  // namespace pgokit::record
