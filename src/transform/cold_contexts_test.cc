#include "transform/cold_contexts.h"

#include <gtest/gtest.h>

#include "test/support/context_profiles.h"

namespace pgokit::transform {
namespace {

constexpr auto example =
    "[main:1 @ foo]:100:5\n 1: 100\n"
    "[main]:50:1\n 1: 50\n"
    "[main:2 @ foo]:9:2\n 1: 9\n !Attributes: 1\n"
    "[main:2 @ foo:3 @ bar]:8:2\n 1: 8\n"
    "[bar]:4:0\n 1: 4\n";

std::string trimmed(std::string_view text, const ColdContextOptions& options) {
  auto profile = test::profile_of(text);
  trim_cold_contexts(profile, options);
  return test::text_of(profile);
}

TEST(ColdContexts, AreAddedUpByTheirLeaf) {
  EXPECT_EQ(trimmed(example, {.hot_count = 10, .merge = true}),
            "[main:1 @ foo]:100:5\n 1: 100\n"
            "[main]:50:1\n 1: 50\n"
            "[bar]:12:2\n 1: 12\n"
            "[foo]:9:2\n 1: 9\n");  // of several contexts: no attributes
}

TEST(ColdContexts, KeepAsManyFramesAsWanted) {
  EXPECT_EQ(trimmed(example, {.hot_count = 9, .merge = true, .frames = 2}),
            "[main:1 @ foo]:100:5\n 1: 100\n"
            "[main]:50:1\n 1: 50\n"
            "[main:2 @ foo]:9:2\n 1: 9\n !Attributes: 1\n"
            "[foo:3 @ bar]:8:2\n 1: 8\n"
            "[bar]:4:0\n 1: 4\n");
}

TEST(ColdContexts, GoWhereTheyStayColdButNotIntoNothing) {
  EXPECT_EQ(trimmed(example, {.hot_count = 60, .merge = true, .trim = true}),
            "[main:1 @ foo]:100:5\n 1: 100\n");
  EXPECT_EQ(trimmed("[foo]:60:1\n 1: 60\n[main:1 @ foo]:3:1\n 1: 3\n",
                    {.hot_count = 60, .merge = true, .trim = true}),
            "[foo]:63:2\n 1: 63\n");
}

TEST(ColdContexts, OfOneFrameOnlyWhereInliningIsDecided) {
  EXPECT_EQ(trimmed(example, {.hot_count = 60, .trim = true, .base_only = true}),
            "[main:1 @ foo]:100:5\n 1: 100\n"
            "[main:2 @ foo]:9:2\n 1: 9\n !Attributes: 1\n"
            "[main:2 @ foo:3 @ bar]:8:2\n 1: 8\n");
}

TEST(ColdContexts, NothingIsColdWithoutAThreshold) {
  EXPECT_EQ(trimmed(example, {.hot_count = 0, .merge = true, .trim = true}), example);
  EXPECT_EQ(trimmed(example, {.hot_count = 60}), example);
  EXPECT_EQ(trimmed("", {.hot_count = 60, .merge = true}), "");
}

}  // namespace
}  // namespace pgokit::transform
