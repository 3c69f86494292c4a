#include "transform/ambiguous.h"

#include <algorithm>
#include <vector>

#include "profile/model/each_function.h"

namespace pgokit::transform {
namespace {

bool is_ambiguous(std::string_view name) {
  return name.starts_with("__cxx_global_var_init") || name.starts_with("__tls_init");
}

// By NameId.
using Dropped = std::vector<bool>;

void drop_from_inlinees(profile::FunctionSamples& function, const Dropped& dropped) {
  for (auto& [location, inlinees] : function.inlinees.unordered()) {
    std::vector<NameId> here;
    for (auto& [name, samples] : inlinees.unordered()) {
      if (dropped[static_cast<size_t>(name)])
        here.push_back(name);
      else
        drop_from_inlinees(*samples, dropped);
    }
    for (NameId name : here) inlinees.erase(name);
  }
}

}  // namespace

void drop_ambiguous_functions(profile::Profile& profile, unsigned threads) {
  Dropped dropped(profile.names.size());
  for (u32 i = 0; i < dropped.size(); ++i) dropped[i] = is_ambiguous(profile.names.text(NameId{i}));
  if (std::ranges::find(dropped, true) == dropped.end()) return;
  profile.keep_if([&](const profile::Function& function) {
    return !dropped[static_cast<size_t>(function.samples.name)];
  });
  for_each_function(profile, threads, [&](profile::Function& function) {
    drop_from_inlinees(function.samples, dropped);
  });
}

}  // namespace pgokit::transform
