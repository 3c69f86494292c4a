#include "profile/text/lines.h"

#include <gmock/gmock.h>

namespace pgokit::profile {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, u64>> counts_of(std::string_view rest) {
  std::vector<std::pair<std::string, u64>> counts;
  for (NamedCount next; !rest.empty();) {
    if (!take_name_count(rest, next)) return {};
    counts.emplace_back(next.name, next.count);
  }
  return counts;
}

TEST(TextLines, HeadsHaveTwoNumbersAndAnyName) {
  auto head = parse_head("a b:c:1:12:3");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->name, "a b:c:1");
  EXPECT_EQ(head->total, 12);
  EXPECT_EQ(head->head, 3);
  for (auto line : {"", ":", "f", "f:1", ":1:2", " f:1:2", "f:1:", "f::2", "f:1:-2", "f:1:2 ",
                    "f:1:18446744073709551616"})
    EXPECT_FALSE(parse_head(line)) << line;
}

TEST(TextLines, PlacesHaveCountsOfTargets) {
  auto line = parse_samples("3.1: 18446744073709551615  f:5 a:b:c:2 ");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kind, SamplesLine::Kind::body);
  EXPECT_EQ(line->location, (LineLocation{3, 1}));
  EXPECT_EQ(line->count, ~u64{0});
  EXPECT_THAT(counts_of(line->rest), ElementsAre(Pair("f", 5), Pair("a:b:c", 2)));
  EXPECT_EQ(parse_samples("65535: 7")->rest, "");
}

TEST(TextLines, TargetsEndAtANumberThatASpaceFollows) {
  EXPECT_THAT(counts_of("f:1x:2 g h:3"), ElementsAre(Pair("f:1x", 2), Pair("g h", 3)));
  for (auto rest : {"f", "f:", ":1", "f:x", "f:1 g"}) EXPECT_THAT(counts_of(rest), ElementsAre());
}

TEST(TextLines, OtherSamplesAreVirtualTablesOrInlinees) {
  auto tables = parse_samples("4: vtables _ZTV1A:9");
  ASSERT_TRUE(tables);
  EXPECT_EQ(tables->kind, SamplesLine::Kind::vtables);
  EXPECT_THAT(counts_of(tables->rest), ElementsAre(Pair("_ZTV1A", 9)));
  auto inlinee = parse_samples("70000.2: a:b:12");
  ASSERT_TRUE(inlinee);
  EXPECT_EQ(inlinee->kind, SamplesLine::Kind::inlinee);
  EXPECT_EQ(inlinee->location, (LineLocation{70000, 2}));
  EXPECT_EQ(inlinee->rest, "a:b");
  EXPECT_EQ(inlinee->count, 12);
}

TEST(TextLines, SamplesThatAreWrong) {
  for (auto line : {"", "1", "1:", "1: ", ": 5", "x: 5", "65536: 5", "1.: 5", "1.x: 5", "1: 5x",
                    "1: f", "1: f:", "1: :5", "4294967296.1: 5", "1: 18446744073709551616"})
    EXPECT_FALSE(parse_samples(line)) << line;
}

TEST(TextLines, MetadataIsFlatOrAValue) {
  EXPECT_EQ(parse_metadata("!CFGChecksum:  77 ")->value, 77);
  EXPECT_EQ(parse_metadata("!Attributes: 3")->kind, MetadataLine::Kind::attributes);
  EXPECT_EQ(parse_metadata("!Flat ")->kind, MetadataLine::Kind::flat);
  for (auto text :
       {"!", "!Flat: 1", "!CFGChecksum", "!CFGChecksum: x", "!Attributes: 4294967296", "!Else: 1"})
    EXPECT_FALSE(parse_metadata(text)) << text;
}

}  // namespace
}  // namespace pgokit::profile
