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
#include <thread>
#include <vector>

#include "base/parallel.h"

namespace pgokit {

template <class Job>
class WorkQueue {
 public:
  using Run = std::function<void(Job& job, unsigned worker)>;

  // `worker` is less than worker_count(threads).
  WorkQueue(unsigned threads, Run run) : run_(std::move(run)) {
    for (unsigned worker = 1; worker < worker_count(threads); ++worker)
      others_.emplace_back([this, worker] {
        while (auto job = wait()) run_(*job, worker);
      });
  }
  ~WorkQueue() {
    std::unique_lock held(lock_);
    jobs_.clear();
    end(held);
  }

  void push(Job job) {
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
    for (auto& other : others_) other.join();
    others_.clear();
  }

  Run run_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool ended_ = false;
  std::vector<std::jthread> others_;
};

}  // namespace pgokit
