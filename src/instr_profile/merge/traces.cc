#include "instr_profile/merge/traces.h"

#include <algorithm>

namespace pgokit::instr_profile {
namespace {

// The one of the standard library is not the same everywhere.
template <class Iterator, class Random>
void shuffle(Iterator first, Iterator last, Random& random) {
  for (auto left = last - first; left > 1; ++first, --left) {
    auto other = static_cast<std::ptrdiff_t>(random() % static_cast<u64>(left));
    if (other != 0) std::iter_swap(first, first + other);
  }
}

}  // namespace

void TraceSample::add(std::vector<Trace> traces, u64 seen, Profile& into) {
  auto& kept = into.traces;
  if (kept.size() > limits_.most_traces) kept.resize(limits_.most_traces);
  for (auto& trace : traces)
    if (trace.functions.size() > limits_.longest) trace.functions.resize(limits_.longest);
  std::erase_if(traces, [](const Trace& trace) { return trace.functions.empty(); });
  if (traces.empty()) return;
  auto at = traces.begin();
  while (kept.size() < limits_.most_traces && at != traces.end()) kept.push_back(std::move(*at++));
  shuffle(at, traces.end(), random_);
  for (u64 i = kept.size(); i < seen && at != traces.end(); ++i) {
    u64 place = std::uniform_int_distribution<u64>(0, i)(random_);
    if (place < kept.size()) kept[place] = std::move(*at++);
  }
  into.traces_seen += seen;
}

}  // namespace pgokit::instr_profile
