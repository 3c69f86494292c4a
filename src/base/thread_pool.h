#pragma once

// The threads of the process. They begin when they are first wanted, as many as are wanted at once,
// and wait for work until it ends: a process that never asked for any has none, and may fork().
//
//   {
//     Helpers others(3, [&](unsigned worker) { ... });   // worker is 1, 2 and 3
//     ...                                                // the caller's own part
//   }                                                    // those who came are done
//
// Helpers come as far as threads are free: the caller must be able to do everything alone. So calls
// within calls share the threads there are, and nobody waits for a thread that waits for him. A
// child of fork() begins with no threads. Most code wants parallel_for() or WorkQueue.

#include <functional>

namespace pgokit {

class Helpers {
 public:
  using Work = std::function<void(unsigned worker)>;

  Helpers(unsigned wanted, Work work);
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  // Waits for those who came; nobody comes any more.
  ~Helpers();

 private:
  friend class ThreadPool;

  unsigned wanted_, came_ = 0, working_ = 0;  // guarded by the pool
  Work work_;
};

}  // namespace pgokit
