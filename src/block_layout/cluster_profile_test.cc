#include "block_layout/cluster_profile.h"

#include <gtest/gtest.h>

namespace pgokit::block_layout {
namespace {

TEST(ClusterProfile, IsKnownByItsFirstLines) {
  for (const char* text : {"v1\nf main\nc0 1\n", "# laid out\n\nv1\nm a.c\nf main\n", "v1\n",
                           "v0\nf main\n", "!main\n!!0 1\n"})
    EXPECT_TRUE(is_cluster_profile(text)) << text;
  for (const char* text : {"", "#\n", "main\n", "v1 \n", "v1\nmain\n", "v2\nf main\n", "!\n",
                           "!a b\n", "f main\n", "v1\nx y\n"})
    EXPECT_FALSE(is_cluster_profile(text)) << text;
}

}  // namespace
}  // namespace pgokit::block_layout
