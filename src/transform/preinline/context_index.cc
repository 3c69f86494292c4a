#include "transform/preinline/context_index.h"

namespace pgokit::transform {

void ContextIndex::list_functions() {
  auto function = [&](u32 id) { return static_cast<size_t>(samples_.function(id)); };
  first_of_function_.assign(samples_.names.size() + 1, 0);
  for (u32 id = 1; id < samples_.size(); ++id) ++first_of_function_[function(id)];
  u32 sum = 0;
  for (u32& at : first_of_function_) sum += at, at = sum;
  of_function_.resize(sum + 1);  // one may point behind the last
  // From the back, so that the ends become the beginnings.
  for (auto id = static_cast<u32>(samples_.size()); id-- > 1;)
    of_function_[--first_of_function_[function(id)]] = id;
}

void ContextIndex::rank_all() {
  ranks_.resize(samples_.size());
  std::vector<u32> order{generate::ContextSamples::root};
  order.reserve(samples_.size());
  constexpr size_t ahead = 16;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i + ahead < order.size()) __builtin_prefetch(&samples_.contexts[order[i + ahead]]);
    for (u32 child : samples_.children(order[i])) {
      ranks_[child] = static_cast<u32>(order.size());
      order.push_back(child);
    }
  }
}

}  // namespace pgokit::transform
