#include "analysis/stale.h"

#include <gmock/gmock.h>

#include "analysis/place_map.h"
#include "analysis/renamed.h"
#include "base/cursor.h"
#include "base/function_name.h"
#include "profile/format.h"

namespace pgokit::analysis {
namespace {

using profile::LineLocation;
using testing::ElementsAre;
using testing::IsEmpty;

Anchor anchor(u32 line, u32 callee) { return {{line, 0}, {NameId{callee}}, false}; }

std::vector<LineLocation> lines(std::initializer_list<u32> offsets) {
  std::vector<LineLocation> places;
  for (u32 offset : offsets) places.push_back({offset, 0});
  return places;
}

TEST(AlignAnchors, FindsTheLongestCommonSequence) {
  std::vector<Anchor> old_anchors{anchor(1, 10), anchor(2, 11), anchor(3, 12), anchor(4, 13)};
  std::vector<Anchor> new_anchors{anchor(1, 10), anchor(5, 12), anchor(6, 20), anchor(7, 13)};
  EXPECT_THAT(align_anchors(old_anchors, new_anchors),
              ElementsAre(std::pair(0, 0), std::pair(2, 1), std::pair(3, 3)));
  EXPECT_THAT(align_anchors(old_anchors, {}), IsEmpty());
}

TEST(AlignAnchors, AnIndirectCallMatchesSeveralTargets) {
  Anchor seen{{1, 0}, {NameId{3}, NameId{4}}, false}, now{{2, 0}, {}, true};
  EXPECT_EQ(align_anchors({&seen, 1}, {&now, 1}).size(), 1);
}

TEST(AlignPlaces, ProbesMoveWithTheNearerCallSite) {
  std::vector<Anchor> old_anchors{anchor(5, 1)}, new_anchors{anchor(8, 1)};
  auto map = align_places(old_anchors, lines({1, 2, 3, 4, 5, 6}), new_anchors, {});
  EXPECT_EQ(map.at({1, 0}).line_offset, 1);
  EXPECT_EQ(map.at({2, 0}).line_offset, 2);
  EXPECT_EQ(map.at({4, 0}).line_offset, 7);
  EXPECT_EQ(map.at({5, 0}).line_offset, 8);
  EXPECT_EQ(map.at({6, 0}).line_offset, 9);
  EXPECT_FALSE(map.is_identity());
}

TEST(AlignPlaces, LinesOfALeafAreFoundByWhereThereIsCode) {
  auto map = align_places({}, lines({1, 2, 4, 7, 9}), {}, lines({1, 2, 3, 7, 10, 12}));
  EXPECT_EQ(map.at({4, 0}).line_offset, 7);
  EXPECT_EQ(map.at({9, 0}).line_offset, 12);
  EXPECT_TRUE(align_places({}, lines({1, 2, 4}), {}, lines({1, 2, 3, 4})).is_identity());
}

TEST(BaseName, LeavesParametersOut) {
  EXPECT_EQ(base_name("_Z7computei"), "compute");
  EXPECT_EQ(base_name("_ZN5space7computeEl"), "space::compute");
  EXPECT_EQ(base_name("_ZN5space7computeEl"), base_name("_ZN5space7computeEPKc"));
  EXPECT_EQ(base_name("_ZL6helperii.__uniq.12"), "helper");
  EXPECT_EQ(base_name("main"), "main");
  EXPECT_EQ(base_name("_Z99999999999999999999x"), "_Z99999999999999999999x");
}

// Functions by name with call sites (place, callee) and a checksum.
struct ShapeBuilder {
  ProgramShape shape;
  ShapeBuilder() {
    shape.has_probes = true;
    shape.names.intern("");
  }
  ShapeBuilder& function(std::string_view name, u64 checksum,
                         std::initializer_list<std::pair<u32, std::string_view>> calls = {}) {
    std::vector<Anchor> anchors;
    for (auto [place, callee] : calls)
      anchors.push_back(anchor(place, static_cast<u32>(shape.names.intern(callee))));
    auto& function = shape.function(shape.names.intern(name));
    function.checksum = checksum;
    function.anchors = std::move(anchors);
    return *this;
  }
  ProgramShape build() {
    shape.functions.resize(shape.names.size());
    shape.index_guids();
    return std::move(shape);
  }
};

profile::Profile read(std::string_view text) {
  auto read = profile::read_profile(as_bytes(text));
  EXPECT_TRUE(read);
  return std::move(read->profile);
}

constexpr std::string_view old_profile =
    "main:100:1\n 1: 10\n 2: 20 f:20\n 3: 30\n 4: 40 old_name:40\n !CFGChecksum: 1\n"
    "f:20:20\n 1: 20\n !CFGChecksum: 2\n"
    "old_name:40:40\n 1: 40\n 2: 40 f:40\n !CFGChecksum: 3\n"
    "removed:7:7\n 1: 7\n !CFGChecksum: 9\n";

TEST(MatchProfile, MovesPlacesAndFindsRenamedFunctions) {
  auto shape = ShapeBuilder()
                   .function("main", 11, {{3, "f"}, {6, "new_name"}})
                   .function("f", 2)
                   .function("new_name", 33, {{2, "f"}})
                   .build();
  StaleReport report;
  auto matched = match_profile(read(old_profile), shape, report);
  std::string text = profile::write_text(matched);
  EXPECT_THAT(text, testing::HasSubstr(" 3: 20 f:20\n"));
  EXPECT_THAT(text, testing::HasSubstr(" 6: 40 new_name:40\n"));
  EXPECT_THAT(text, testing::HasSubstr("new_name:40:40\n"));
  EXPECT_THAT(text, testing::HasSubstr("!CFGChecksum: 33\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("removed")));
  EXPECT_EQ(report.all.functions, 4);
  EXPECT_EQ(report.unchanged.functions, 1);
  EXPECT_EQ(report.moved.functions, 2);
  EXPECT_THAT(report.lost_names, ElementsAre("removed"));
  ASSERT_EQ(report.renamed.size(), 1);
  EXPECT_EQ(report.renamed[0].to, "new_name");
}

TEST(MatchProfile, TheSameProgramChangesNothing) {
  auto shape = ShapeBuilder()
                   .function("main", 1, {{2, "f"}, {4, "old_name"}})
                   .function("f", 2)
                   .function("old_name", 3, {{2, "f"}})
                   .function("removed", 9)
                   .build();
  StaleReport report;
  auto old = read(old_profile);
  EXPECT_EQ(profile::write_text(match_profile(old, shape, report)), profile::write_text(old));
  EXPECT_EQ(report.unchanged.functions, 4);
}

TEST(MatchProfile, FindsStaticFunctionsOfAnotherCheckout) {
  auto shape = ShapeBuilder()
                   .function("main", 1, {{2, "init.__uniq.8"}})
                   .function("init.__uniq.8", 2)
                   .function("run.__uniq.8", 3)
                   .function("init.__uniq.9", 4)
                   .build();
  auto old = read(
      "main:100:1\n 1: 10\n 2: 20 init.__uniq.5:20\n !CFGChecksum: 1\n"
      "init.__uniq.5:20:20\n 1: 20\n !CFGChecksum: 2\n"
      "run.__uniq.5:10:10\n 1: 10\n !CFGChecksum: 3\n");
  old.symbols.intern("run.__uniq.5");
  StaleReport report;
  auto matched = match_profile(old, shape, report);
  std::string text = profile::write_text(matched);
  EXPECT_THAT(text, testing::HasSubstr("init.__uniq.8:20:20\n"));
  EXPECT_THAT(text, testing::HasSubstr(" 2: 20 init.__uniq.8:20\n"));
  EXPECT_THAT(text, testing::HasSubstr("run.__uniq.8:10:10\n"));
  EXPECT_TRUE(matched.symbols.find("run.__uniq.8"));
  EXPECT_EQ(report.other_path.functions, 2);
  EXPECT_EQ(report.unchanged.functions, 3);
  EXPECT_THAT(report.renamed, IsEmpty());
}

TEST(MatchProfile, FollowsContexts) {
  auto old = read(
      "[main:4 @ f]:20:20\n 1: 20\n !CFGChecksum: 2\n"
      "[gone:1 @ main:4 @ f]:5:5\n 1: 5\n !CFGChecksum: 2\n");
  auto shape = ShapeBuilder().function("main", 11, {{6, "f"}}).function("f", 2).build();
  StaleReport report;
  auto text = profile::write_text(match_profile(old, shape, report));
  EXPECT_THAT(text, testing::StartsWith("[main:6 @ f]:25:25\n 1: 25\n"));
}

TEST(MatchProfile, ProfilesOfHashesStayHashes) {
  auto old = read("f:20:20\n 1: 20\n !CFGChecksum: 2\n");
  profile::Profile hashed;
  hashed.flags = old.flags;
  auto& f = hashed.function(hashed.names.intern_guid(function_guid("f")));
  f.add_body({1, 0}, 20);
  f.checksum = 2;
  hashed.sort();
  auto shape = ShapeBuilder().function("f", 2).build();
  StaleReport report;
  auto matched = match_profile(hashed, shape, report);
  EXPECT_EQ(report.unchanged.functions, 1);
  EXPECT_THAT(profile::write_text(matched),
              testing::StartsWith(std::to_string(function_guid("f")) + ":"));
}

}  // namespace
}  // namespace pgokit::analysis
