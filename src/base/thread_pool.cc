#include "base/thread_pool.h"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>

#include "base/ending_signals.h"
#include "base/huge_pages.h"

namespace pgokit {

class ThreadPool {
 public:
  void offer(Helpers& job) {
    unsigned wanted = job.wanted_;
    {
      std::scoped_lock held(lock_);
      while (threads_ < wanted && start()) ++threads_;
      jobs_.push_back(&job);
    }
    for (unsigned i = 0; i < wanted; ++i) offered_.notify_one();
  }

  void withdraw(const Helpers& job) {
    std::unique_lock held(lock_);
    std::erase(jobs_, &job);
    left_.wait(held, [&] { return job.working_ == 0; });
  }

  static ThreadPool& of_process() {
    static bool prepared =
        pthread_atfork([] { instance()->lock_.lock(); }, [] { instance()->lock_.unlock(); },
                       [] { instance() = new ThreadPool; }) == 0;
    static_cast<void>(prepared);
    return *instance();
  }

 private:
  // Never taken down: the threads wait until the process ends.
  static ThreadPool*& instance() {
    static auto* pool = new ThreadPool;
    return pool;
  }
  // False: the system gives no more threads, and the work is done by those that there are. Signals
  // that end the program go to the main thread, which may wait for them (measure/run.cc).
  bool start() {
    sigset_t before, ending = ending_signal_set();
    pthread_sigmask(SIG_BLOCK, &ending, &before);
    bool started = start_without_signals();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }
  bool start_without_signals() {
    pthread_t thread;
    auto run = [](void* self) -> void* {
      static_cast<ThreadPool*>(self)->run();
      return nullptr;
    };
    return pthread_create(&thread, nullptr, run, this) == 0 && pthread_detach(thread) == 0;
  }

  [[noreturn]] void run() {
    std::unique_lock held(lock_);
    for (;;) {
      offered_.wait(held, [&] { return !jobs_.empty(); });
      Helpers& job = *jobs_.front();
      unsigned worker = ++job.came_;
      if (worker == job.wanted_) jobs_.pop_front();
      ++job.working_;
      held.unlock();
      prefer_huge_pages_in_helper();
      job.work_(worker);
      held.lock();
      if (--job.working_ == 0) left_.notify_all();
    }
  }

  std::mutex lock_;
  std::condition_variable offered_, left_;
  std::deque<Helpers*> jobs_;  // that more may come to
  unsigned threads_ = 0;
};

Helpers::Helpers(unsigned wanted, Work work) : wanted_(wanted), work_(std::move(work)) {
  if (wanted_ > 0) ThreadPool::of_process().offer(*this);
}

Helpers::~Helpers() {
  if (wanted_ > 0) ThreadPool::of_process().withdraw(*this);
}

}  // namespace pgokit
