#include "transform/preinline/inline_sizes.h"

#include <gtest/gtest.h>

namespace pgokit::transform {
namespace {

using Frames = std::vector<InlineSizes::Frame>;

constexpr u64 leaf = 1, middle = 2, outer = 3, other = 4;

// `caller` calls at line `line` what stands in front of it.
InlineSizes::Frame at(u64 caller, u32 line) { return {caller, {line, 0}}; }

class InlineSizesTest : public testing::Test {
 protected:
  void add(const Frames& frames, u64 bytes) { sizes_.add(sizes_.place(frames), bytes); }
  u32 of(const Frames& frames) const { return sizes_.of(frames); }

  InlineSizes sizes_;
};

TEST_F(InlineSizesTest, NothingIsKnownAtFirst) {
  EXPECT_EQ(of({{leaf, {}}}), 0u);
  EXPECT_EQ(of({{leaf, {}}, at(middle, 3)}), 0u);
}

TEST_F(InlineSizesTest, BytesOfAPlaceAddUp) {
  add({{leaf, {}}}, 10);
  add({{leaf, {}}}, 5);
  EXPECT_EQ(of({{leaf, {}}}), 15u);
}

TEST_F(InlineSizesTest, ACopyHasItsOwnSize) {
  add({{leaf, {}}}, 10);
  add({{leaf, {}}, at(middle, 3)}, 4);
  EXPECT_EQ(of({{leaf, {}}, at(middle, 3)}), 4u);
  EXPECT_EQ(of({{leaf, {}}}), 10u);
}

TEST_F(InlineSizesTest, TheLongestKnownEndCounts) {
  add({{leaf, {}}}, 10);
  add({{leaf, {}}, at(middle, 3)}, 4);
  EXPECT_EQ(of({{leaf, {}}, at(middle, 3), at(outer, 7)}), 4u);
  EXPECT_EQ(of({{leaf, {}}, at(middle, 8), at(outer, 7)}), 10u) << "called at another line";
  EXPECT_EQ(of({{leaf, {}}, at(other, 3)}), 10u) << "by another function";
}

TEST_F(InlineSizesTest, WithoutACopyOfItsOwnSomeOtherIsTaken) {
  add({{leaf, {}}, at(middle, 3), at(outer, 7)}, 6);
  EXPECT_EQ(of({{leaf, {}}}), 6u);
  EXPECT_EQ(of({{leaf, {}}, at(other, 1)}), 6u);
}

TEST_F(InlineSizesTest, ContextsMayBeginWithTheSameSteps) {
  add({{leaf, {}}}, 10);
  add({{leaf, {}}, at(middle, 3)}, 4);
  InlineSizes::Walk start;
  EXPECT_TRUE(sizes_.add({leaf, {}}, start)) << "it was inlined somewhere";
  auto copy = start, own = start;
  EXPECT_FALSE(sizes_.add(at(middle, 3), copy)) << "but its caller was not";
  EXPECT_FALSE(sizes_.add(at(other, 3), own));
  EXPECT_EQ(sizes_.bytes(copy), 4u);
  EXPECT_EQ(sizes_.bytes(own), 10u);
}

TEST_F(InlineSizesTest, NoBytesAreASizeToo) {
  add({{leaf, {}}}, 10);
  add({{leaf, {}}, at(middle, 3)}, 0);
  EXPECT_EQ(of({{leaf, {}}, at(middle, 3)}), 0u);
}

}  // namespace
}  // namespace pgokit::transform
