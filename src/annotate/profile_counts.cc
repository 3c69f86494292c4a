#include "annotate/profile_counts.h"

#include "base/function_name.h"

namespace pgokit::annotate {

ProfileCounts::ProfileCounts(const profile::Profile& profile) : profile_(&profile) {
  const auto& names = profile.names;
  for (u32 i = 0; i < names.size(); ++i) {
    NameId name{i};
    names_.try_emplace(names.is_guid(name)
                           ? names.guid(name)
                           : function_guid(canonical_function_name(names.text(name))),
                       name);
  }
}

const profile::FunctionSamples* ProfileCounts::copy_of(std::span<const Frame> frames) const {
  auto top = names_.find(frames.front().function);
  if (top == names_.end()) return nullptr;
  const auto* samples =
      profile_->find(profile_->contexts.find(profile::ContextId::none, {}, top->second));
  for (size_t i = 1; samples && i < frames.size(); ++i) {
    const auto* callees = samples->inlinees.find(frames[i - 1].at);
    auto name = names_.find(frames[i].function);
    if (!callees || name == names_.end()) return nullptr;
    const auto* inlinee = callees->find(name->second);
    samples = inlinee ? inlinee->get() : nullptr;
  }
  return samples;
}

ProfileCounts::Found ProfileCounts::at(std::span<const Frame> frames) const {
  Found found;
  for (const auto& frame : frames)
    found.place = profile::mix_bits(found.place ^ frame.function) ^ frame.at.hash();
  if (const auto* copy = copy_of(frames))
    if (const auto* record = copy->body.find(frames.back().at)) found.samples = record->samples;
  return found;
}

}  // namespace pgokit::annotate
