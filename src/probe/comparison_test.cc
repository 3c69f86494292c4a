#include "probe/comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "base/function_name.h"
#include "probe/section_builder.h"

namespace pgokit::probe {
namespace {

using ::testing::ElementsAre;

void collect(Comparison& comparison, Side side, const SectionBuilder& section, u64 start) {
  auto collector = comparison.collector(side);
  auto address_of = [&](u64 guid) -> std::optional<u64> {
    return guid == function_guid("f.cold") ? start + 0x1000 : start;
  };
  EXPECT_EQ(walk_section(section.bytes(), address_of, collector), std::nullopt);
}

// DEPTH@CALL-SITE INDEX: offsets in the first / in the second, in hexadecimal.
std::vector<std::string> lines(const Comparison& comparison, const Comparison::Function& function) {
  std::vector<std::string> list;
  for (const auto& row : comparison.rows(function)) {
    const auto& context = comparison.contexts()[row.context];
    std::string line = fmt::format("{}@{} {}:", context.depth, context.call_site, row.index);
    for (const auto& one : row.first) line += fmt::format(" {:x}", one.offset);
    line += " /";
    for (const auto& one : row.second) line += fmt::format(" {:x}", one.offset);
    list.push_back(line);
  }
  return list;
}

TEST(Comparison, FindsTheSameProbesAtOtherPlaces) {
  Comparison comparison;
  SectionBuilder first, second;
  first.record("f", 3, 1).probe(1, 0, 0).probe(2, 0, 8).probe(2, 0, 8);
  first.inlinee(3, "leaf", 1, 0).probe(1, 0, -4);
  second.record("f", 2, 2).probe(1, 0, 4).probe(4, 2, 0);
  second.inlinee(3, "leaf", 1, 0).probe(1, 0, 2);
  second.inlinee(5, "leaf", 1, 0).probe(1, 0, 1);
  second.record("g", 1, 0).probe(1, 0, 0);
  collect(comparison, Side::first, first, 0x400);
  collect(comparison, Side::second, second, 0x900);
  comparison.finish();
  ASSERT_EQ(comparison.functions().size(), 2u);
  const auto& f =
      *std::ranges::find(comparison.functions(), function_guid("f"), &Comparison::Function::guid);
  EXPECT_THAT(f.probes, ElementsAre(4, 4));
  EXPECT_THAT(f.inlined, ElementsAre(1, 2));
  EXPECT_EQ(f.gone, 1u);   // probe 2
  EXPECT_EQ(f.added, 2u);  // probe 4, and what was inlined by call 5
  EXPECT_EQ(f.moved, 0u);
  EXPECT_THAT(lines(comparison, f), ElementsAre("0@0 1: 0 / 4", "0@0 2: 8 10 /", "0@0 4: / 4",
                                                "1@3 1: c / 6", "1@5 1: / 7"));
  const auto& g =
      *std::ranges::find(comparison.functions(), function_guid("g"), &Comparison::Function::guid);
  EXPECT_FALSE(g.is_in(Side::first));
  EXPECT_TRUE(g.is_in(Side::second));
}

TEST(Comparison, CountsCopiesAndKnowsParts) {
  Comparison comparison;
  SectionBuilder first, second;
  first.record("f", 2, 0).probe(1, 0, 0).probe(2, 0, 4);
  second.record("f", 1, 0).probe(1, 0, 0);
  second.record("f", 3, 0).sentinel("f.cold").probe(2, 0, 2).probe(2, 0, 2);
  collect(comparison, Side::first, first, 0x400);
  collect(comparison, Side::second, second, 0x900);
  comparison.finish();
  ASSERT_EQ(comparison.functions().size(), 1u);
  const auto& f = comparison.functions()[0];
  EXPECT_EQ(f.moved, 1u);
  EXPECT_EQ(f.differences(), 1u);
  const auto& row = comparison.rows(f)[1];
  EXPECT_THAT(row.second, ElementsAre(Comparison::Copy{function_guid("f.cold"), 2},
                                      Comparison::Copy{function_guid("f.cold"), 4}));
}

TEST(Comparison, OfNothingIsEmpty) {
  Comparison comparison;
  comparison.finish();
  EXPECT_TRUE(comparison.functions().empty());
}

}  // namespace
}  // namespace pgokit::probe
