// The pre-inliner over columns against the one that moves profiles: on whatever contexts, they
// decide the same. The first byte chooses thresholds, a text profile follows.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/cursor.h"
#include "test/support/context_profiles.h"
#include "test/support/context_samples.h"
#include "transform/preinline/preinliner.h"

using namespace pgokit;

namespace {

// Has what samples of a recording have: they are not nested.
bool could_be_samples(const profile::Profile& profile) {
  if (!profile.flags.context_sensitive || profile.flags.probe_based) return false;
  return std::ranges::all_of(profile.functions(), [](const profile::Function& function) {
    const auto& samples = function.samples;
    return samples.inlinees.empty() && !samples.vtables &&
           (samples.attributes & ~profile::was_inlined) == 0;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t enough = 1 << 16;
  if (size < 2 || size > enough) return 0;
  Bytes file{data + 1, size - 1};
  if (profile::sniff(file) != profile::Format::text) return 0;
  auto read = profile::read_profile(file);
  if (!read || !could_be_samples(read->profile)) return 0;
  u8 choice = data[0];
  transform::InlineSizes sizes;
  transform::PreinlineOptions options{.hot_threshold = choice & 7u,
                                      .cold_threshold = choice >> 3 & 3u,
                                      .inlined_multiplier = 3,
                                      .growth_limit = 3,
                                      .limit_min = 2,
                                      .cold_count = choice >> 5 & 3u,
                                      .upper_count = 20};
  const auto* used = choice & 128 ? &sizes : nullptr;
  auto by_moves = test::profile_of(as_text(file));
  preinline(by_moves, used, options);
  auto by_columns = preinline(test::samples_of(std::move(read->profile)), used, options, 2);
  if (test::text_of(by_moves) != test::text_of(by_columns)) {
    std::fprintf(stderr, "moves:\n%s\ncolumns:\n%s\n", test::text_of(by_moves).c_str(),
                 test::text_of(by_columns).c_str());
    std::abort();
  }
  return 0;
}
