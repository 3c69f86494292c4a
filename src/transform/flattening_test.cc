#include "transform/flattening.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "profile/format.h"

namespace pgokit::transform {
namespace {

using profile::Profile;

Profile read(std::string_view text) {
  auto read = profile::read_profile(as_bytes(text));
  EXPECT_TRUE(read.has_value());
  return std::move(read->profile);
}

constexpr std::string_view nested =
    "main:100:5\n"
    " 1: 10\n"
    " 2: foo:60\n"
    "  1: 20\n"
    "  3: bar:40\n"
    "   1: 40\n"
    "bar:7:7\n"
    " 1: 7\n";

TEST(Flattening, TurnsInlineesIntoCalls) {
  auto profile = read(nested);
  flatten_inlinees(profile, 0);
  EXPECT_EQ(profile::write_text(profile),
            "foo:60:20\n 1: 20\n 3: 40 bar:40\n"
            "main:60:10\n 1: 10\n 2: 20 foo:20\n"
            "bar:47:47\n 1: 47\n");
}

TEST(Flattening, KeepsInlineesUpToADepth) {
  auto profile = read(nested);
  flatten_inlinees(profile, 1);
  EXPECT_EQ(profile::write_text(profile),
            "main:100:5\n 1: 10\n 2: foo:60\n  1: 20\n  3: 40 bar:40\n"
            "bar:47:7\n 1: 47\n");
  profile = read(nested);
  flatten_inlinees(profile, 2);
  EXPECT_EQ(profile::write_text(profile), nested);
}

// A total that is too small for its inlinees reaches zero on the way.
TEST(Flattening, InlineesOfOnePlaceLeaveByTheirNames) {
  constexpr std::string_view texts[] = {"f:673:0\n 6: a:812\n  1: 1\n 6: b:878\n  1: 300\n",
                                        "f:673:0\n 6: b:878\n  1: 300\n 6: a:812\n  1: 1\n"};
  std::string first;
  for (auto text : texts) {
    auto profile = read(text);
    flatten_inlinees(profile, 0);
    auto written = profile::write_text(profile);
    EXPECT_NE(written.find("f:300:301\n"), std::string::npos) << written;
    if (first.empty()) first = written;
    EXPECT_EQ(written, first);
  }
}

TEST(Flattening, TotalsStopAtTheLargestButInTheTools) {
  constexpr std::string_view large =
      "f:18446744073709551615:0\n"
      " 1: a:1\n"
      "  1: 5\n";
  for (auto versions : {Versions::by_content, Versions::as_in_peer}) {
    auto profile = read(large);
    flatten_inlinees(profile, 0, versions);
    auto total = profile.find(profile.contexts.top(profile.names.intern("f")))->total;
    EXPECT_EQ(total, versions == Versions::as_in_peer ? 3 : ~u64{0});
  }
}

TEST(Flattening, LimitsAndDropsContexts) {
  constexpr std::string_view contexts =
      "[a:1 @ b:2 @ c]:5:1\n 1: 5\n !Attributes: 2\n"
      "[b:2 @ c]:4:1\n 1: 4\n"
      "[c]:3:1\n 1: 3\n";
  auto profile = read(contexts);
  limit_contexts(profile, 2);
  EXPECT_EQ(profile::write_text(profile),
            "[b:2 @ c]:9:2\n 1: 9\n !Attributes: 2\n[c]:3:1\n 1: 3\n");
  profile = read(contexts);
  drop_contexts(profile);
  EXPECT_EQ(profile::write_text(profile), "c:12:3\n 1: 12\n");
  EXPECT_FALSE(profile.flags.context_sensitive);
}

}  // namespace
}  // namespace pgokit::transform
