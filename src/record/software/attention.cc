#include "record/software/attention.h"

#include <algorithm>

namespace pgokit::record {

// With a processor of its own the recorder hardly waits for one; where all are busy, for as long as
// it runs.
void Attention::update(CpuTime::Times now) {
  constexpr u64 parts = 4;
  recent_.used_ns = recent_.used_ns / 2 + now.used_ns - last_.used_ns;
  recent_.waited_ns = recent_.waited_ns / 2 + now.waited_ns - last_.waited_ns;
  last_ = now;
  shared_ = only_one_ || recent_.waited_ns * parts > recent_.used_ns;
}

// Of a processor that others want too, little is taken; of the only one nothing.
u64 Attention::awake_ns() const {
  constexpr u64 shared_ns = 60'000;
  if (only_one_) return 0;
  return shared_ ? std::min(shared_ns, most_ns_) : most_ns_;
}

}  // namespace pgokit::record
