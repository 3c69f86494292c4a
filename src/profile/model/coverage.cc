#include "profile/model/coverage.h"

#include "base/function_name.h"

namespace pgokit::profile {

bool is_coverage(const Profile& profile) {
  if (profile.functions().size() != 1) return false;
  auto name = profile.functions().front().samples.name;
  if (profile.names.is_guid(name))
    return profile.names.guid(name) == function_guid(coverage_marker);
  return profile.names.text(name) == coverage_marker;
}

}  // namespace pgokit::profile
