#include "generate/context/probes/missing_frames.h"

#include <gmock/gmock.h>

#include "test/support/tail_call_test.h"

namespace pgokit::generate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using unwind::ContextCounts;

class MissingFramesTest : public test::TailCallTest {
 protected:
  MissingFramesTest() { counts_.begin(unwind::CallPath::empty); }

  void took(u64 from, u64 to) { counts_.add_branch({at(from), at(to), 1}); }
  std::vector<u64> between(u64 call, u64 function, u64 max_depth = ~u64{0}) {
    counts_.begin(counts_.paths.child(unwind::CallPath::empty, at(call)));
    counts_.add_range({at(function), at(function), 1});
    counts_.normalize();
    MissingFrames missing(program_, functions_, counts_, max_depth);
    std::vector<u64> addresses;
    for (auto site : missing.between(at(call), functions_.at(at(function))))
      addresses.push_back(program_.code().address_of(site).value);
    return addresses;
  }

  static constexpr u64 call_a = 0x401000, call_any = 0x401005;
  static constexpr u64 a = 0x401010, c = 0x401018, b = 0x401020;
  ContextCounts counts_{ContextCounts::Kind::probes};
};

TEST_F(MissingFramesTest, TheOnlyWayIsFound) {
  took(call_a, a), took(a, b);
  EXPECT_THAT(between(call_a, b), ElementsAre(a));
  EXPECT_THAT(between(call_a, a), IsEmpty());
}

TEST_F(MissingFramesTest, OnlyWhatSamplesTookIsAWay) {
  took(call_a, a);
  EXPECT_THAT(between(call_a, b), IsEmpty());
}

TEST_F(MissingFramesTest, OfTwoWaysNoneIsTaken) {
  took(call_any, a), took(call_any, c), took(a, b), took(c, b);
  EXPECT_THAT(between(call_any, b), IsEmpty());
}

TEST_F(MissingFramesTest, ACallThatGoesThereDirectlyNeedsNoOthers) {
  took(call_any, a), took(call_any, b), took(a, b);
  EXPECT_THAT(between(call_any, b), IsEmpty());
}

TEST_F(MissingFramesTest, WaysMayBeLong) {
  took(call_a, a), took(a, c), took(c, b);
  EXPECT_THAT(between(call_a, b), ElementsAre(a, c));
  EXPECT_THAT(between(call_a, b, 2), ElementsAre(a, c));
  EXPECT_THAT(between(call_a, b, 1), IsEmpty());
}

TEST_F(MissingFramesTest, CirclesAreNoWay) {
  took(call_a, a), took(a, c), took(c, a), took(c, b);
  EXPECT_THAT(between(call_a, b), ElementsAre(a, c));
}

TEST_F(MissingFramesTest, PlacesOutsideOfFunctionsHaveNone) {
  took(call_a, a), took(a, b), took(a, 0x401008);
  EXPECT_THAT(between(call_a, 0x401008), IsEmpty());
}

}  // namespace
}  // namespace pgokit::generate
