#include "unwind/contexts/ip_contexts.h"

#include <gmock/gmock.h>

#include <map>

#include "test/support/compiled_program.h"
#include "test/support/tail_call_program.h"

namespace pgokit::unwind {
namespace {

using testing::ElementsAre;

class IpContextsTest : public testing::Test {
 protected:
  IpContextsTest() { EXPECT_TRUE(program_.load_functions(1)); }

  program::Program open() {
    dir_.write("tail", test::tail_call_program().image());
    return *program::Program::open(fmt::format("{}/tail", dir_.path()), {});
  }

  // (calls of the context, first address, count) of each range, then of each branch
  std::vector<std::string> divided(const IpContexts& contexts) const {
    samples::Counts counts{{{{0x401000}, {0x401007}, 50}, {{0x401020}, {0x401021}, 400}},
                           {{samples::external, {0x401000}, 7}, {{0x401000}, {0x401010}, 50}}};
    auto split = contexts.divide(counts, {});
    const auto& code = program_.code();
    std::vector<std::string> out;
    for (size_t i = 0; i < split.size(); ++i) {
      std::string calls;
      for (auto call : split.paths.calls(split.path(i)))
        calls += fmt::format("{:x} @ ", code.address_of(call).value);
      for (const auto& one : split.ranges(i))
        out.push_back(
            fmt::format("{}{:x}: {}", calls, code.address_of(one.first).value, one.count));
      for (const auto& one : split.branches(i))
        out.push_back(fmt::format("{}{:x} -> {:x}: {}", calls, code.address_of(one.from).value,
                                  code.address_of(one.to).value, one.count));
    }
    return out;
  }

  test::ScratchDir dir_;
  program::Program program_ = open();
};

void add(IpContexts& contexts, unsigned worker, const std::vector<u64>& addresses) {
  std::vector<BinaryAddr> chain;
  for (u64 address : addresses) chain.push_back({address});
  contexts.each()(worker, chain);
}

TEST_F(IpContextsTest, CountsAreDividedBySamples) {
  IpContexts one(program_, 1), two(program_, 2);
  for (auto* contexts : {&one, &two}) {
    unsigned other = contexts == &two ? 1 : 0;
    for (int i = 0; i < 3; ++i) add(*contexts, other, {0x401020, 0x401005});
    add(*contexts, 0, {0x401020, 0x401007});
    add(*contexts, 0, {0x401000});
    add(*contexts, other, {0x401005, 1});
  }
  EXPECT_THAT(divided(one), ElementsAre("401000: 50", "401000 -> 401010: 50",
                                        "401000 @ 401020: 300", "401005 @ 401020: 100"));
  EXPECT_EQ(divided(one), divided(two));
}

TEST_F(IpContextsTest, ChainsEndWhereTheyLeaveTheProgram) {
  IpContexts contexts(program_, 1);
  add(contexts, 0, {0x401020, 1, 0x401005});         // the caller is elsewhere
  add(contexts, 0, {0x401020, 0x401021, 0x401005});  // no call stands before that address
  EXPECT_THAT(divided(contexts), ElementsAre("401020: 400"));
}

TEST_F(IpContextsTest, RecursionCountsOnce) {
  IpContexts contexts(program_, 1);
  add(contexts, 0, {0x401020, 0x401007, 0x401007, 0x401007, 0x401005});
  EXPECT_THAT(divided(contexts), ElementsAre("401000 @ 401005 @ 401020: 400"));
}

TEST_F(IpContextsTest, WithoutSamplesThereIsNothing) {
  IpContexts contexts(program_, 1);
  add(contexts, 0, {0x409999});
  EXPECT_TRUE(divided(contexts).empty());
}

// A program that clang compiles for the occasion, without probes.
constexpr const char* source = R"(
__attribute__((noinline)) int leaf(int x) {
  __asm__ volatile("" : "+r"(x));
  return x * 3;
}
static inline __attribute__((always_inline)) int middle(int x) {
  __asm__ volatile("" : "+r"(x));
  return leaf(x) + 1;
}
int _start(int x) {
  x = middle(x) + 2;
  return leaf(x) + 3;
}
)";

TEST(IpFrames, InlineFramesArePartOfContexts) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  auto compiled = test::compile(dir, source, "-O1 -g");
  ASSERT_TRUE(compiled);
  const auto& program = *compiled;
  const auto& code = program.code();
  std::vector<BinaryAddr> behind_calls;
  BinaryAddr leaf{0}, leaf_last{0}, start{0}, start_last{0};
  for (const auto& range : program.functions().ranges()) {
    bool is_leaf = program.functions().name(range.function) == "leaf";
    (is_leaf ? leaf : start) = {range.start};
    for (u64 at = range.start; at < range.end; ++at) {
      auto index = code.index_of({at});
      if (!code.is_instruction(index)) continue;
      (is_leaf ? leaf_last : start_last) = {at};
      if (code.is_call(index)) behind_calls.push_back({at + code.length(index)});
    }
  }
  ASSERT_EQ(behind_calls.size(), 2u);

  IpContexts contexts(program, 1);
  for (int i = 0; i < 3; ++i) add(contexts, 0, {leaf.value, behind_calls[0].value});
  add(contexts, 0, {leaf.value, behind_calls[1].value});
  add(contexts, 0, {start.value});
  samples::Counts counts{{{leaf, leaf_last, 40}, {start, start_last, 7}}, {}};
  auto texts = [&](const ContextPolicy& rules) {
    auto split = contexts.divide(counts, rules);
    std::map<std::string, u64> found;
    for (size_t i = 0; i < split.size(); ++i)
      for (const auto& range : split.ranges(i))
        found[split.contexts.text(split.context(i), split.names) +
              (split.leaf_inlined(i) ? " inlined" : "")] = range.count;
    return found;
  };
  using testing::Pair;
  EXPECT_THAT(texts({}), testing::UnorderedElementsAre(
                             Pair("_start:1 @ middle:2 @ leaf", 30), Pair("_start:2 @ leaf", 10),
                             Pair("_start", 7), Pair("_start:1 @ middle inlined", 7)));
  EXPECT_THAT(
      texts({.max_depth = 1}),
      testing::UnorderedElementsAre(Pair("middle:2 @ leaf", 30), Pair("_start:2 @ leaf", 10),
                                    Pair("_start", 7), Pair("_start:1 @ middle inlined", 7)));
}

}  // namespace
}  // namespace pgokit::unwind
