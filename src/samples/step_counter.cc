#include "samples/step_counter.h"

namespace pgokit::samples {

void StepCounter::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const auto& slot : old) {
    if (slot.step == Step{}) continue;
    size_t place;
    find(slot.step, hash(slot.step), place);
    slots_[place] = slot;
  }
}

void StepCounter::merge(const StepCounter& other) {
  constexpr size_t ahead = 32;
  const auto& from = other.slots_;
  for (size_t i = 0; i < from.size(); ++i) {
    if (i + ahead < from.size()) prefetch(from[i + ahead].step);
    if (from[i].step == Step{}) continue;
    make_room(1);
    add(from[i].step, other.count_of(from[i]));
  }
}

}  // namespace pgokit::samples
