#include "generate/context/short_counts.h"

namespace pgokit::generate {

u64 ShortCounts::get_long(u32 word) const {
  std::scoped_lock lock(long_->mutex);
  return long_->counts[word - first_long];
}

void ShortCounts::set_long(ShortCount& count, u64 value) {
  std::scoped_lock lock(long_->mutex);
  auto& counts = long_->counts;
  auto word = static_cast<u32>(count);
  if (word < first_long) {
    word = first_long + static_cast<u32>(counts.size());
    counts.push_back(0);
    count = ShortCount{word};
  }
  counts[word - first_long] = value;
}

}  // namespace pgokit::generate
