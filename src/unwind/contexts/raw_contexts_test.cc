#include "unwind/contexts/raw_contexts.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "test/support/tiny_program.h"

namespace pgokit::unwind {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RawContextsTest : public testing::Test {
 protected:
  CodeIndex at(u64 address) const { return code_.index_of({address}); }
  Result<RawContexts> read(std::string_view text, ContextCounts::Kind kind) const {
    return read_raw_contexts(text, kind, code_, {0x401000});
  }
  std::string message(std::string_view text, ContextCounts::Kind kind) const {
    return read(text, kind).error().message;
  }

  static constexpr auto probes = ContextCounts::Kind::probes, lines = ContextCounts::Kind::lines;
  std::string image_ = test::tiny_program().image();
  object::File file_ = *object::File::parse(as_bytes(image_));
  program::CodeSymbols symbols_{file_};
  program::CodeMap code_ = *program::CodeMap::build(file_, symbols_);
};

TEST_F(RawContextsTest, OfProbesAreCallSites) {
  auto read = this->read(
      "[]\n  1\n  0-2:5\n  1\n  ffffffffffbff001->0:7\n"
      "[0x7 @ 0x7]\n  1\n  10-11:3\n  1\n  11->c:3\n",
      probes);
  ASSERT_TRUE(read);
  const auto& counts = read->counts;
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts.path(0), CallPath::empty);
  EXPECT_THAT(counts.ranges(0), ElementsAre(Range{at(0x401000), at(0x401002), 5}));
  EXPECT_THAT(counts.branches(0), ElementsAre(Branch{program::no_code, at(0x401000), 7}));
  EXPECT_THAT(counts.paths.calls(counts.path(1)), ElementsAre(at(0x401007), at(0x401007)));
  EXPECT_EQ(read->outside, 0u);
}

TEST_F(RawContextsTest, OfLinesAreFrames) {
  auto read =
      this->read("[main:0.8 @ ns::foo:2 @ bar]\n 1\n 10-11:3\n 0\n[]\n0\n1\n11->c:1\n", lines);
  ASSERT_TRUE(read);
  const auto& counts = read->counts;
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts.context(0), profile::ContextId::none);
  EXPECT_EQ(counts.contexts.text(counts.context(1), counts.names), "main:0.8 @ ns::foo:2 @ bar");
  EXPECT_FALSE(counts.leaf_inlined(1));
}

TEST_F(RawContextsTest, EqualContextsAreSummed) {
  auto read = this->read("[0x7]\n1\n10-11:3\n0\n[0x7]\n1\n10-11:4\n0\n", probes);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->counts.size(), 1u);
  EXPECT_THAT(read->counts.ranges(0), ElementsAre(Range{at(0x401010), at(0x401011), 7}));
}

TEST_F(RawContextsTest, WhatIsNotInTheCodeIsLeftOut) {
  auto read = this->read("[]\n3\n12-13:1\n2-0:1\n0-2:1\n2\n55->0:1\n0->55:1\n", probes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->outside, 4u);
  EXPECT_EQ(read->counts.touched_ranges().size(), 1u);
  EXPECT_THAT(read->counts.touched_branches(), IsEmpty());
}

TEST_F(RawContextsTest, DamageNamesTheLine) {
  EXPECT_EQ(message("", probes), "Invalid raw profile! It ends with line 0");
  EXPECT_EQ(message("1\n1-2:3\n0\n", probes), "Invalid raw profile at line 1: 1");
  EXPECT_EQ(message("[0x7\n0\n0\n", probes), "Invalid raw profile at line 1: [0x7");
  EXPECT_EQ(message("[0x7 @ 7]\n0\n0\n", probes), "Invalid raw profile at line 1: [0x7 @ 7]");
  EXPECT_THAT(message(std::string_view("[f:1 @ g\0]\n0\n0\n", 15), lines),
              testing::StartsWith("Invalid raw profile at line 1: "));
  EXPECT_THAT(message("[f:70000 @ g]\n0\n0\n", lines), testing::StartsWith("Invalid raw profile"));
  EXPECT_EQ(message("[f @ g]\n0\n0\n", lines), "Invalid raw profile at line 1: [f @ g]");
  EXPECT_EQ(message("[f:1.x @ g]\n0\n0\n", lines), "Invalid raw profile at line 1: [f:1.x @ g]");
  EXPECT_EQ(message("[0x7]\n1\n1-2\n", probes), "Invalid raw profile at line 3: 1-2");
  EXPECT_EQ(message("[0x7]\n18446744073709551615\n", probes),
            "Invalid raw profile! It ends with line 2");
}

TEST_F(RawContextsTest, OfAnotherKindOfProgramIsRefused) {
  EXPECT_EQ(message("[0x7]\n0\n0\n", lines),
            "its contexts are call addresses: it is of a program with probes");
  EXPECT_EQ(message("[f:1 @ g]\n0\n0\n", probes),
            "its contexts are functions and lines: it is of a program without probes");
}

}  // namespace
}  // namespace pgokit::unwind
