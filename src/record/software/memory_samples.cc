#include "record/software/memory_samples.h"

#include <algorithm>

namespace pgokit::record {
namespace {

// What takes the place of other data goes unseen for so many windows at most; memory where none was
// is seen at its first sample.
constexpr u64 windows_per_refresh = 64;

}  // namespace

void MemorySampler::tell_mappings(const FollowedThread& thread,
                                  const std::function<void()>& refresh) {
  auto is_unknown = [&](const LoggedAccess& one) { return !thread.space->map().find(one.address); };
  if (windows_++ % windows_per_refresh == 0 ||
      std::ranges::any_of(thread.window.accesses.drawn, is_unknown))
    refresh();
  for (const auto& mapping : thread.space->new_data(thread.tid, thread.window.regs.rsp))
    recording_.mapped(thread.pid, thread.tid, mapping);
}

u64 MemorySampler::write(const FollowedThread& thread, double weight,
                         const std::function<void()>& refresh) {
  const auto& [made, drawn] = thread.window.accesses;
  if (drawn.empty()) return 0;
  double stands_for = made * weight;
  double wanted = stands_for / static_cast<double>(per_sample_);
  auto samples = static_cast<u64>(wanted + std::uniform_real_distribution<>(0, 1)(random_));
  u64 each = per_sample_;
  if (samples > drawn.size()) {
    samples = drawn.size();
    each = static_cast<u64>(stands_for / static_cast<double>(samples));
  }
  if (samples == 0) return 0;
  tell_mappings(thread, refresh);
  const auto& cache = thread.space->cache();
  for (const auto& one : std::span(drawn).first(samples))
    recording_.access(thread.pid, thread.tid, cache.access(one.number), one.address, each);
  return samples;
}

}  // namespace pgokit::record
