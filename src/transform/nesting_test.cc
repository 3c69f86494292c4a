#include "transform/nesting.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "test/support/context_profiles.h"

namespace pgokit::transform {
namespace {

std::string nested(std::string_view text, const NestingOptions& options = {}) {
  auto profile = test::profile_of(text);
  nest_contexts(profile, options);
  EXPECT_FALSE(profile.flags.context_sensitive);
  return test::text_of(profile);
}

TEST(Nesting, WhatIsInlinedIsNotCalled) {
  EXPECT_EQ(nested("[main]:30:1\n 1: 10\n 3: 20 bar:12 foo:8\n"
                   "[main:3 @ foo]:7:5\n 1: 7\n !Attributes: 3\n"),
            "main:29:1\n 1: 10\n 3: 12 bar:12\n 3: foo:7\n  1: 7\n  !Attributes: 3\n");
}

TEST(Nesting, APlaceThatWasACallOnlyIsGone) {
  EXPECT_EQ(nested("[main]:8:1\n 1: 0\n 3: 8 foo:8\n[main:3 @ foo]:7:5\n 1: 7\n"),
            "main:7:1\n 1: 0\n 3: foo:7\n  1: 7\n");
  // Fewer samples than calls: the calls of others stay without a place.
  EXPECT_EQ(nested("[main]:8:1\n 3: 5 foo:8\n[main:3 @ foo]:7:5\n 1: 7\n"),
            "main:10:1\n 3: foo:7\n  1: 7\n");
}

TEST(Nesting, WithoutACallerItIsAFunction) {
  EXPECT_EQ(nested("[main:3 @ foo]:7:5\n 1: 7\n[other:4 @ foo]:2:1\n 1: 2\n[foo]:1:1\n 1: 1\n"),
            "foo:10:7\n 1: 10\n");
}

TEST(Nesting, LevelByLevel) {
  EXPECT_EQ(nested("[a]:1:1\n 1: 1\n[a:2 @ b]:2:1\n 1: 2\n[a:2 @ b:3 @ c]:4:1\n 1: 4\n"),
            "a:7:1\n 1: 1\n 2: b:6\n  1: 2\n  3: c:4\n   1: 4\n");
}

TEST(Nesting, IntoTheFunctionsOwnProfileAsWell) {
  EXPECT_EQ(nested("[main]:1:1\n 1: 1\n[main:3 @ foo]:7:5\n 1: 7\n !Attributes: 2\n",
                   {.duplicate_into_base = true}),
            "main:8:1\n 1: 1\n 3: foo:7\n  1: 7\n  !Attributes: 6\n"
            "foo:7:5\n 1: 7\n !Attributes: 2\n");
}

TEST(Nesting, EndsAtTheDepthThatReadersTake) {
  std::string text, context;
  constexpr unsigned levels = profile::max_inline_depth + 100;
  for (unsigned i = 0; i < levels; ++i) {
    context += fmt::format("{}f{}", i ? ":1 @ " : "", i);
    text += fmt::format("[{}]:1:1\n 2: 1\n", context);
  }
  auto result = nested(text);
  auto read = profile::read_profile({reinterpret_cast<const u8*>(result.data()), result.size()});
  ASSERT_TRUE(read);
  EXPECT_GT(read->profile.functions().size(), 1);
}

}  // namespace
}  // namespace pgokit::transform
