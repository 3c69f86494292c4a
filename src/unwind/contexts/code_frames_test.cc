// Inline frames of a program that clang compiles for the occasion, and of one without any.
#include "unwind/contexts/code_frames.h"

#include <gtest/gtest.h>

#include <optional>

#include "test/support/compiled_program.h"
#include "test/support/tiny_program.h"

namespace pgokit::unwind {
namespace {

using profile::LineLocation;

constexpr const char* source = R"(
__attribute__((noinline)) int leaf(int x) {
  __asm__ volatile("");
  return x * 3;
}
static inline __attribute__((always_inline)) int middle(int x) {
  __asm__ volatile("nop");

  return leaf(x) + 1;
}
int _start(int x) {
  __asm__ volatile("nop");
  return middle(x + 1) * 2;
}
)";

class CodeFramesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
    program_ = test::compile(dir_, source, "-O1 -g");
    ASSERT_TRUE(program_);
    start_ = code_of("_start");
    leaf_ = code_of("leaf");
    for (Place place : start_)
      if (program_->code().is_call(CodeIndex(place))) call_ = place;
    ASSERT_NE(call_, no_call);
    unwound_.nodes = {{}, {PathTable::root, call_}, {1, no_call}};
    unwound_.branches = {pair_of(call_, leaf_[0])};
    unwound_.ranges = {pair_of(start_[0], start_.back()), pair_of(leaf_[0], leaf_.back())};
    unwound_.range_possible = {true, false};
  }

  std::vector<Place> code_of(std::string_view name) const {
    std::vector<Place> places;
    for (CodeIndex index : test::code_of(*program_, name))
      places.push_back(static_cast<Place>(index));
    return places;
  }

  test::ScratchDir dir_;
  std::optional<program::Program> program_;
  std::vector<Place> start_, leaf_;
  Place call_ = no_call;
  Unwound unwound_;
};

TEST_F(CodeFramesTest, RangesArePiecesOfOneScope) {
  CodeFrames frames(unwound_, *program_, 1);
  auto pieces = frames.pieces(0);
  ASSERT_GE(pieces.size(), 3u);  // before, in and behind the inlined call
  EXPECT_EQ(pieces.front().first, CodeIndex(start_.front()));
  EXPECT_EQ(pieces.back().last, CodeIndex(start_.back()));
  bool inlined = false;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto& scope = frames.scope(pieces[i].scope);
    auto function = frames.names.text(scope.function);
    inlined |= function == "middle";
    EXPECT_EQ(frames.callers(scope).size(), function == "middle" ? 1u : 0u);
    if (i > 0) {
      EXPECT_GT(pieces[i].first, pieces[i - 1].last);
    }
  }
  EXPECT_TRUE(inlined);
  EXPECT_EQ(frames.pieces().size(), pieces.size());
}

TEST_F(CodeFramesTest, ImpossibleRangesHaveNoPieces) {
  CodeFrames frames(unwound_, *program_, 1);
  EXPECT_TRUE(frames.pieces(1).empty());
}

TEST_F(CodeFramesTest, CallsHaveAllFrames) {
  CodeFrames frames(unwound_, *program_, 1);
  auto of_call = frames.of_call(call_);
  ASSERT_EQ(of_call.size(), 2u);
  EXPECT_EQ(frames.names.text(frames.frame(of_call[0]).function), "_start");
  EXPECT_EQ(frames.frame(of_call[0]).location, (LineLocation{2, 0}));
  EXPECT_EQ(frames.names.text(frames.frame(of_call[1]).function), "middle");
  EXPECT_EQ(frames.frame(of_call[1]).location, (LineLocation{3, 0}));
  EXPECT_TRUE(frames.of_call(no_call).empty());
  EXPECT_TRUE(frames.of_call(start_[0]).empty());  // nobody asked for it before
}

TEST_F(CodeFramesTest, BranchesHaveTheScopeOfTheirSource) {
  unwound_.branches.push_back(pair_of(outside, leaf_[0]));
  CodeFrames frames(unwound_, *program_, 1);
  const auto& scope = frames.scope(frames.scope_of_branch(0));
  EXPECT_EQ(frames.names.text(scope.function), "middle");
  ASSERT_EQ(frames.callers(scope).size(), 1u);
  EXPECT_EQ(frames.callers(scope)[0], frames.of_call(call_)[0]);
  EXPECT_EQ(frames.scope_of_branch(1), Scopes::unknown);
}

TEST_F(CodeFramesTest, NumbersDoNotTellTheThreads) {
  CodeFrames one(unwound_, *program_, 1), three(unwound_, *program_, 3);
  ASSERT_EQ(one.scopes(), three.scopes());
  ASSERT_EQ(one.pieces().size(), three.pieces().size());
  for (size_t i = 0; i < one.pieces().size(); ++i)
    EXPECT_EQ(one.pieces()[i].scope, three.pieces()[i].scope);
  EXPECT_EQ(one.scope_of_branch(0), three.scope_of_branch(0));
}

TEST(CodeFramesWithoutDebugInformation, EachInstructionIsAnUnknownPiece) {
  test::ScratchDir dir;
  dir.write("tiny", test::tiny_program().image());
  auto program = *program::Program::open(dir.file("tiny"), {});
  ASSERT_TRUE(program.load_functions(1));
  auto first = CodeIndex(0), second = CodeIndex(program.code().length(first));
  Unwound unwound;
  unwound.nodes = {{}, {PathTable::root, static_cast<Place>(first)}};
  unwound.ranges = {pair_of(static_cast<Place>(first), static_cast<Place>(second))};
  unwound.range_possible = {true};
  CodeFrames frames(unwound, program, 2);
  ASSERT_EQ(frames.pieces(0).size(), 2u);
  EXPECT_EQ(frames.pieces(0)[0].last, first);
  EXPECT_EQ(frames.pieces(0)[1].first, second);
  EXPECT_EQ(frames.pieces(0)[0].scope, Scopes::unknown);
  EXPECT_TRUE(frames.of_call(static_cast<Place>(first)).empty());
}

}  // namespace
}  // namespace pgokit::unwind
