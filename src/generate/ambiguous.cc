#include "generate/ambiguous.h"

#include <algorithm>
#include <vector>

namespace pgokit::generate {
namespace {

bool is_ambiguous(std::string_view name) {
  return name.starts_with("__cxx_global_var_init") || name.starts_with("__tls_init");
}

void drop_from_inlinees(profile::FunctionSamples& function, const profile::NameTable& names) {
  for (auto& [location, inlinees] : function.inlinees.unordered()) {
    std::vector<NameId> dropped;
    for (auto& [name, samples] : inlinees.unordered()) {
      if (is_ambiguous(names.text(name)))
        dropped.push_back(name);
      else
        drop_from_inlinees(*samples, names);
    }
    for (NameId name : dropped) inlinees.erase(name);
  }
}

}  // namespace

void drop_ambiguous_functions(profile::Profile& profile) {
  profile.keep_if([&](const profile::Function& function) {
    return !is_ambiguous(profile.names.text(function.samples.name));
  });
  for (auto& function : profile.functions()) drop_from_inlinees(function.samples, profile.names);
}

}  // namespace pgokit::generate
