#include "annotate/profile_counts.h"

#include "base/function_name.h"

namespace pgokit::annotate {
namespace {

u64 mixed(u64 hash, u64 value) { return profile::mix_bits(hash ^ profile::mix_bits(value)); }
u64 key_of(u64 function, profile::LineLocation at) { return mixed(function, at.hash()); }

}  // namespace

ProfileCounts::ProfileCounts(const profile::Profile& profile) : profile_(&profile) {
  for (const auto& function : profile.functions()) add(function.samples);
}

u64 ProfileCounts::guid_of(NameId name) const {
  const auto& names = profile_->names;
  return names.is_guid(name) ? names.guid(name)
                             : function_guid(canonical_function_name(names.text(name)));
}

void ProfileCounts::add(const profile::FunctionSamples& function) {
  u64 guid = guid_of(function.name);
  names_.try_emplace(guid, function.name);
  for (const auto& [at, record] : function.body) {
    u64& sum = of_all_[key_of(guid, at)];
    sum = add_saturated(sum, record.samples);
  }
  for (const auto& [at, callees] : function.inlinees)
    for (const auto& [name, inlinee] : callees) add(*inlinee);
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
  if (const auto* copy = copy_of(frames)) {
    Found found;
    for (const auto& frame : frames)
      found.place = mixed(found.place, key_of(frame.function, frame.at));
    if (const auto* record = copy->body.find(frames.back().at)) found.samples = record->samples;
    return found;
  }
  Found found{.place = key_of(frames.back().function, frames.back().at), .samples = {}};
  if (auto sum = of_all_.find(found.place); sum != of_all_.end()) found.samples = sum->second;
  return found;
}

}  // namespace pgokit::annotate
