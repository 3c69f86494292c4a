#include "transform/ambiguous.h"

#include <gtest/gtest.h>

#include "profile/format.h"

namespace pgokit::transform {
namespace {

TEST(DropAmbiguousFunctions, EverywhereButNotFromTotals) {
  profile::Profile profile;
  NameId main = profile.names.intern("main"),
         init = profile.names.intern("__cxx_global_var_init.7");
  auto& samples = profile.function(main);
  samples.add_total(5);
  samples.add_body({1, 0}, 3);
  samples.inlinee({2, 0}, init).add_total(2);
  profile.function(init).add_total(9);
  profile.function(profile.names.intern("__tls_init")).add_total(9);
  drop_ambiguous_functions(profile);
  profile.sort();
  EXPECT_EQ(write_text(profile), "main:5:0\n 1: 3\n");
}

}  // namespace
}  // namespace pgokit::transform
