#include "analysis/counted_columns.h"

#include <gmock/gmock.h>

#include "analysis/overlap.h"
#include "base/cursor.h"
#include "instr_profile/format.h"
#include "instr_profile/merge/sum.h"

namespace pgokit::analysis {
namespace {

profile::Columns columns(std::string_view text) {
  instr_profile::Facts facts;
  instr_profile::Sum sum(instr_profile::Rules::commutative);
  auto status =
      instr_profile::read(as_bytes(text), facts, [&](const instr_profile::Record& record) {
        sum.add(record, 1, [](instr_profile::Mismatch) {});
        return Status();
      });
  EXPECT_TRUE(status) << status.error().message;
  return counted_columns(sum.profile());
}

TEST(CountedColumns, HaveAPlaceForEachCounterThatIsNotZero) {
  auto counted = columns(":ir\nb\n1\n3\n5\n0\n7\n\na\n2\n1\n0\n\n");
  ASSERT_EQ(counted.functions.size(), 2);
  EXPECT_EQ(counted.names[0].text, "a");
  auto places = counted.part(counted.functions[1]).places_of(1);
  ASSERT_EQ(places.size(), 2);
  EXPECT_EQ(places[1].location, (profile::LineLocation{2, 1}));
  EXPECT_EQ(places[1].samples, 7);
  EXPECT_EQ(counted.node(counted.functions[1]).head, 5);
  EXPECT_EQ(counted.summary.total, 12);
}

TEST(CountedColumns, VersionsOfAFunctionHaveOtherPlaces) {
  auto both = columns(":ir\nf\n9\n1\n4\n\nf\n2\n1\n6\n\n"), one = columns(":ir\nf\n2\n1\n6\n");
  EXPECT_EQ(both.functions.size(), 1);
  auto overlap = compute_overlap(both, one);
  EXPECT_EQ(overlap.matched_functions, 1);
  EXPECT_EQ(overlap.overlap, 6);
  EXPECT_EQ(overlap.base_unique, 4);
}

TEST(CountedColumns, OfFunctionsThatWereOnlyMarkedAreEmpty) {
  auto marked = columns(":ir\nf\n1\n2\n18446744073709551615\n3\n");
  EXPECT_EQ(marked.functions.size(), 1);
  EXPECT_EQ(marked.summary.total, 0);
}

}  // namespace
}  // namespace pgokit::analysis
