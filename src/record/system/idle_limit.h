#pragma once

// Keeps idle processors from sleeping deeply.
//
//   IdleLimit limit;
//   limit.set(true);       // nothing where it is not permitted, or not worth it
//   ... stop threads, and have them go on ...
//   limit.set(false);
//
// A thread that is stopped leaves its processor idle. One that sleeps deeply takes up to some hundred
// microseconds to wake and has lost its caches: of a virtual machine it is the host's by then.
// /dev/cpu_dma_latency, which belongs to root, limits how long it may take to wake; the kernel takes
// the limit back when the file is closed, whatever ends this process.

namespace pgokit::record {

class IdleLimit {
 public:
  IdleLimit();
  ~IdleLimit() { set(false); }
  IdleLimit(const IdleLimit&) = delete;
  IdleLimit& operator=(const IdleLimit&) = delete;

  void set(bool kept);
  bool is_kept() const { return file_ >= 0; }

 private:
  int most_us_;  // to wake; below 0: no limit
  int file_ = -1;
};

}  // namespace pgokit::record
