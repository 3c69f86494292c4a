#include "record/software/attention.h"

#include <algorithm>
#include <utility>

namespace pgokit::record {

// With a processor of its own the recorder hardly waits for one; where all are busy, for as long as
// it runs. But it also waits where the kernel has put it beside the program, though another
// processor idles.
void Attention::update(const Times& now) {
  constexpr u64 parts = 4;
  if (!std::exchange(has_begun_, true)) last_ = {{}, now.idle_ns, now.at_ns};
  auto add = [](u64& recent, u64 at, u64 before) { recent = recent / 2 + (at - before); };
  add(recent_.own.used_ns, now.own.used_ns, last_.own.used_ns);
  add(recent_.own.waited_ns, now.own.waited_ns, last_.own.waited_ns);
  add(recent_.idle_ns, now.idle_ns, last_.idle_ns);
  add(recent_.at_ns, now.at_ns, last_.at_ns);
  bool waits = recent_.own.waited_ns * parts > recent_.own.used_ns;
  bool has_spare = recent_.idle_ns * parts > recent_.at_ns;
  shared_ = only_one_ || (waits && !has_spare);
  last_ = now;
}

// Of a processor that others want too, little is taken; of the only one nothing.
u64 Attention::awake_ns() const {
  constexpr u64 shared_ns = 60'000;
  if (only_one_) return 0;
  return shared_ ? std::min(shared_ns, most_ns_) : most_ns_;
}

}  // namespace pgokit::record
