#include "generate/contexts.h"

#include <gtest/gtest.h>

#include "profile/format.h"
#include "test/support/tail_call_test.h"

namespace pgokit::generate {
namespace {

using unwind::CallPath;
using unwind::ContextCounts;

class ProbeContextsTest : public test::TailCallTest {
 protected:
  CallPath path(std::initializer_list<u64> calls) {
    auto path = CallPath::empty;
    for (u64 call : calls) path = counts_.paths.child(path, at(call));
    return path;
  }
  void ran(u64 first, u64 last, u64 count) { counts_.add_range({at(first), at(last), count}); }
  void took(u64 from, u64 to, u64 count) {
    counts_.add_branch({from ? at(from) : program::no_code, at(to), count});
  }
  std::string text(const ContextProfileOptions& options = {}) {
    counts_.normalize();
    auto made = generate_contexts(program_, std::move(counts_), options);
    auto profile = to_profile(std::move(made->samples));
    return profile::write_text(profile, {});
  }
  // main calls a, which jumps to b.
  void record_tail_call() {
    counts_.begin(CallPath::empty);
    ran(0x401000, 0x401000, 5), took(0x401000, 0x401010, 5);
    counts_.begin(path({0x401000}));
    ran(0x401010, 0x401010, 5), took(0x401010, 0x401020, 5);
    ran(0x401020, 0x401021, 5), took(0x401021, 0x401005, 5);
  }

  ContextCounts counts_{ContextCounts::Kind::probes};
};

TEST_F(ProbeContextsTest, TailCallsArePutBack) {
  record_tail_call();
  EXPECT_EQ(text(),
            "[main:2 @ a:2 @ b]:15:5\n 1: 5\n 2: 5 leaf:5\n 3: 5\n !CFGChecksum: 103\n"
            "[main]:10:5\n 1: 5\n 2: 5 a:5\n 3: 0\n !CFGChecksum: 101\n"
            "[main:2 @ a]:10:5\n 1: 5\n 2: 5 b:5\n !CFGChecksum: 102\n"
            "[main:2 @ a:2 @ b:2 @ leaf]:5:5\n 1: 5\n !CFGChecksum: 105\n !Attributes: 1\n");
}

TEST_F(ProbeContextsTest, UnlessNotWanted) {
  record_tail_call();
  std::string made = text({.policy = {.infer_missing_frames = false}});
  EXPECT_TRUE(made.contains("[main:2 @ b]:15:5\n")) << made;
  EXPECT_TRUE(made.contains("[main:2 @ b:2 @ leaf]:5:5\n")) << made;
}

TEST_F(ProbeContextsTest, ContextsStartAnewAtCallsWithoutProbe) {
  counts_.begin(path({0x401000, 0x401007, 0x401005}));
  ran(0x401021, 0x401021, 7);
  EXPECT_EQ(text(), "[main:3 @ b]:7:0\n 1: 0\n 3: 7\n !CFGChecksum: 103\n");
}

TEST_F(ProbeContextsTest, RecursionIsCompressed) {
  counts_.begin(path({0x401000, 0x401000, 0x401005, 0x401000, 0x401005}));
  ran(0x401021, 0x401021, 7);
  EXPECT_TRUE(text().starts_with("[main:2 @ main:3 @ b]:7:0\n"));
}

TEST_F(ProbeContextsTest, OnlyBlocksOfTheLengthWanted) {
  counts_.begin(path({0x401000, 0x401000, 0x401005, 0x401000, 0x401005}));
  ran(0x401021, 0x401021, 7);
  EXPECT_TRUE(text({.policy = {.longest_recursion = 1}})
                  .starts_with("[main:2 @ main:3 @ main:2 @ main:3 @ b]:7:0\n"));
}

TEST_F(ProbeContextsTest, TheInnermostCallersAreKept) {
  counts_.begin(path({0x401000, 0x401005}));
  ran(0x401021, 0x401021, 7);
  EXPECT_TRUE(text({.policy = {.max_depth = 1}}).starts_with("[main:3 @ b]:7:0\n"));
}

TEST_F(ProbeContextsTest, WithoutCallersOnlyTheLeafIsLeft) {
  counts_.begin(path({0x401000, 0x401005}));
  ran(0x401020, 0x401021, 7);
  std::string made = text({.policy = {.max_depth = 0}});
  EXPECT_TRUE(made.contains("[b]:14:7\n")) << made;
  EXPECT_TRUE(made.contains("[leaf]:7:7\n")) << made;
}

TEST_F(ProbeContextsTest, ThreadsDoNotChangeIt) {
  std::string made[2];
  for (unsigned threads : {1u, 3u}) {
    counts_ = ContextCounts(ContextCounts::Kind::probes);
    for (u32 i = 0; i < 40000; ++i) {  // several parts, whose contexts are partly the same
      auto path = CallPath::empty;
      for (u32 bit = 0; bit < 16; ++bit)
        path = counts_.paths.child(path, at(i >> bit & 1 ? 0x401000 : 0x401005));
      counts_.begin(path);
      ran(0x401020, 0x401021, i), took(0x401021, 0x401005, i);
    }
    made[threads > 1] = text({.threads = threads});
  }
  EXPECT_EQ(made[0], made[1]);
  EXPECT_GT(made[0].size(), 200u);
}

TEST_F(ProbeContextsTest, CallsFromOutsideCountNowhere) {
  counts_.begin(CallPath::empty);
  took(0, 0x401000, 9);
  EXPECT_EQ(text(), "");
}

TEST_F(ProbeContextsTest, ExternalCalleesHaveNoName) {
  counts_.begin(CallPath::empty);
  took(0x401005, 0x401008, 9);
  EXPECT_EQ(text(), "[main]:9:0\n 3: 9\n !CFGChecksum: 101\n");
}

}  // namespace
}  // namespace pgokit::generate
