#include "order/from_profile.h"

#include "base/saturated.h"

namespace pgokit::order {
namespace {

using profile::FunctionSamples;

class ProfileCalls {
 public:
  ProfileCalls(const profile::Profile& profile, u64 weight, Model& model)
      : profile_(profile), weight_(weight), model_(model) {}

  void add(const profile::Function& function) {
    const auto& node = profile_.contexts.node(function.context);
    u32 number = number_of(node.function);
    auto& own = model_.functions[number].weight;
    own = add_saturated(own, multiply_saturated(function.samples.total, weight_));
    if (node.parent != profile::ContextId::none) {
      auto caller = profile_.contexts.node(node.parent).function;
      model_.calls.push_back(
          {number_of(caller), number, multiply_saturated(function.samples.head, weight_)});
    }
    add_calls(number, function.samples);
  }

 private:
  u32 number_of(NameId name) { return model_.function(profile_.names.text(name)); }

  // Inlining is at most max_inline_depth deep.
  void add_calls(u32 caller, const FunctionSamples& samples) {
    for (const auto& [at, record] : samples.body) {
      if (!record.targets) continue;
      for (const auto& [callee, count] : *record.targets)
        model_.calls.push_back({caller, number_of(callee), multiply_saturated(count, weight_)});
    }
    for (const auto& [at, inlinees] : samples.inlinees)
      for (const auto& [name, inlinee] : inlinees) add_calls(caller, *inlinee);
  }

  const profile::Profile& profile_;
  u64 weight_;
  Model& model_;
};

}  // namespace

void add_profile(const profile::Profile& profile, u64 weight, Model& model) {
  ProfileCalls calls(profile, weight, model);
  for (const auto* function : profile.ordered()) calls.add(*function);
}

}  // namespace pgokit::order
