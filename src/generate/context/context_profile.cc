// ContextSamples as a Profile.
#include "generate/context/function_samples_accumulator.h"

namespace pgokit::generate {

profile::Profile to_profile(ContextSamples samples) {
  profile::Profile profile;
  FunctionSamplesAccumulator sums(samples);
  std::vector<profile::ContextId> ids(samples.size());
  for (u32 i = 1; i < samples.size(); ++i) {
    const auto& context = samples.contexts[i];
    ids[i] = profile.contexts.child(ids[context.parent], samples.site(i), samples.function(i));
    if (!(context.flags & ContextSamples::has_samples)) continue;
    auto& function = profile.function(ids[i]);
    sums.add(std::span(&i, 1));
    function = sums.take();
    function.name = samples.function(i);
    if (context.flags & ContextSamples::was_inlined) function.attributes |= profile::was_inlined;
    if (!samples.checksums.empty())
      function.checksum = samples.checksums[static_cast<size_t>(samples.function(i))];
  }
  profile.names = std::move(samples.names);
  profile.flags = samples.flags;
  return profile;
}

}  // namespace pgokit::generate
