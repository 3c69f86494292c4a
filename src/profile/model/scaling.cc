#include "profile/model/scaling.h"

#include <bit>

#include "profile/model/each_function.h"

namespace pgokit::profile {
namespace {

template <class Change>
void change_names(NameCounts& counts, const Change& change) {
  for (auto& [name, count] : counts.unordered()) count = change(count);
}

template <class Change>
void change_counts(FunctionSamples& samples, const Change& change) {
  samples.total = change(samples.total);
  samples.head = change(samples.head);
  for (auto& [location, record] : samples.body.unordered()) {
    record.samples = change(record.samples);
    if (record.targets) change_names(*record.targets, change);
  }
  if (samples.vtables)
    for (auto& [location, counts] : samples.vtables->unordered()) change_names(counts, change);
  for (auto& [location, callees] : samples.inlinees.unordered())
    for (auto& [name, inlinee] : callees.unordered()) change_counts(*inlinee, change);
}

template <class Change>
void change_counts(Profile& profile, unsigned threads, const Change& change) {
  for_each_function(profile, threads,
                    [&](Function& function) { change_counts(function.samples, change); });
}

}  // namespace

u64 divided(u64 count, u64 by) {
  u64 rest = count % by;
  return count / by + (rest >= by - rest);
}

u64 quantized(u64 count, unsigned bits) {
  auto width = static_cast<unsigned>(std::bit_width(count));
  if (width <= bits) return count;
  unsigned dropped = width - bits;
  u64 half = u64{1} << (dropped - 1), kept = ~u64{0} << dropped;
  bool fits = count <= ~u64{0} - half;  // else the next one up has 65 bits
  return (fits ? count + half : count) & kept;
}

void divide_counts(Profile& profile, u64 by, unsigned threads) {
  change_counts(profile, threads, [by](u64 count) { return divided(count, by); });
}

void quantize_counts(Profile& profile, unsigned bits, unsigned threads) {
  change_counts(profile, threads, [bits](u64 count) { return quantized(count, bits); });
}

}  // namespace pgokit::profile
