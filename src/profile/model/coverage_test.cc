#include "profile/model/coverage.h"

#include <gtest/gtest.h>

#include "base/function_name.h"

namespace pgokit::profile {
namespace {

void add(Profile& profile, NameId name) { profile.function(name).add_body({1, 0}, 1); }

TEST(Coverage, IsAProfileOfTheMarkerAlone) {
  Profile profile;
  EXPECT_FALSE(is_coverage(profile));
  add(profile, profile.names.intern(coverage_marker));
  EXPECT_TRUE(is_coverage(profile));
  add(profile, profile.names.intern("main"));
  EXPECT_FALSE(is_coverage(profile));
}

TEST(Coverage, IsToldByTheHashOfTheMarkerToo) {
  Profile marked, other;
  add(marked, marked.names.intern_guid(function_guid(coverage_marker)));
  add(other, other.names.intern_guid(7));
  EXPECT_TRUE(is_coverage(marked));
  EXPECT_FALSE(is_coverage(other));
}

}  // namespace
}  // namespace pgokit::profile
