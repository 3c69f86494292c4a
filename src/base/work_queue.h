#pragma once

// Work that other threads do while more of it is still being found.
//
//   WorkQueue<Job> queue(threads, [&](Job& job, unsigned worker) { ... });
//   queue.push(std::move(job));       // by one thread
//   queue.finish();                   // which helps now; behind it everything is done
//
// Jobs begin in their order; what they did is seen behind finish(). With one thread all is done
// there. Without finish(), what has not begun is dropped.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "base/parallel.h"
#include "base/thread_pool.h"

namespace pgokit {

template <class Job>
class WorkQueue {
 public:
  using Run = std::function<void(Job& job, unsigned worker)>;

  // `worker` is less than worker_count(threads).
  WorkQueue(unsigned threads, Run run) : run_(std::move(run)), threads_(threads) {}
  ~WorkQueue() {
    std::unique_lock held(lock_);
    jobs_.clear();
    end(held);
  }

  // The first one calls for the other threads, which stay until the end.
  void push(Job job) {
    if (!others_)
      others_.emplace(worker_count(threads_) - 1, [this](unsigned worker) {
        while (auto next = wait()) run_(*next, worker);
      });
    std::scoped_lock held(lock_);
    jobs_.push_back(std::move(job));
    changed_.notify_one();
  }
  void finish() {
    while (auto job = take()) run_(*job, 0);
    std::unique_lock held(lock_);
    end(held);
  }

 private:
  std::optional<Job> take() {
    std::scoped_lock held(lock_);
    return pop();
  }
  // None: the queue has ended.
  std::optional<Job> wait() {
    std::unique_lock held(lock_);
    changed_.wait(held, [&] { return ended_ || !jobs_.empty(); });
    return pop();
  }
  std::optional<Job> pop() {
    if (jobs_.empty()) return std::nullopt;
    std::optional<Job> job(std::move(jobs_.front()));
    jobs_.pop_front();
    return job;
  }
  void end(std::unique_lock<std::mutex>& held) {
    ended_ = true;
    held.unlock();
    changed_.notify_all();
    others_.reset();
  }

  Run run_;
  unsigned threads_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool ended_ = false;
  std::optional<Helpers> others_;
};

}  // namespace pgokit
