// Contexts by source lines, of a program that clang compiles for the occasion.
#include <gtest/gtest.h>

#include <optional>

#include "generate/contexts.h"
#include "profile/format.h"
#include "test/support/compiled_program.h"

namespace pgokit::generate {
namespace {

using profile::ContextId;
using unwind::CodeIndex;
using unwind::ContextCounts;

constexpr const char* source = R"(
__attribute__((noinline)) int leaf(int x) {
  return x * 3;
}
int _start(int x) {
  x += 1;
  return leaf(x) + 1;
}
)";

class ContextLinesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
    program_ = test::compile(dir_, source, "-O0 -g");
    ASSERT_TRUE(program_);
    start_ = test::code_of(*program_, "_start");
    leaf_ = test::code_of(*program_, "leaf");
  }

  ContextId context(std::initializer_list<std::pair<const char*, profile::LineLocation>> frames) {
    auto context = ContextId::none;
    profile::LineLocation call_site;
    for (const auto& [function, location] : frames) {
      context = counts_.contexts.child(context, call_site, counts_.names.intern(function));
      call_site = location;
    }
    return context;
  }
  CodeIndex call_in_start() const {
    for (auto at : start_)
      if (program_->code().is_call(at)) return at;
    return program::no_code;
  }
  profile::Profile profile() {
    counts_.normalize();
    return to_profile(std::move(generate_contexts(*program_, std::move(counts_), {})->samples));
  }

  test::ScratchDir dir_;
  std::optional<program::Program> program_;
  std::vector<CodeIndex> start_, leaf_;
  ContextCounts counts_{ContextCounts::Kind::lines};
};

TEST_F(ContextLinesTest, TotalsCountInstructionsAndLinesTheirMostFrequentOne) {
  counts_.begin(context({{"leaf", {}}}), false);
  counts_.add_range({leaf_.front(), leaf_.back(), 4});
  counts_.add_range({leaf_[1], leaf_.back(), 2});
  auto made = profile();
  const auto& samples = made.functions().front().samples;
  EXPECT_EQ(samples.total, 6 * leaf_.size() - 2);
  EXPECT_EQ(samples.body.find({1, 0})->samples, 6u);
  EXPECT_EQ(samples.head, 0u);
}

TEST_F(ContextLinesTest, CalleesAreEnteredInTheContextOfTheCall) {
  counts_.begin(context({{"_start", {}}}), false);
  counts_.add_branch({call_in_start(), leaf_.front(), 9});
  counts_.add_branch({leaf_.back(), start_.back(), 9});  // a return enters nothing
  counts_.begin(ContextId::none, false);
  counts_.add_branch({program::no_code, leaf_.front(), 1});
  EXPECT_EQ(profile::write_text(profile(), {}),
            "[_start]:0:0\n 2: 9 leaf:9\n[_start:2 @ leaf]:0:9\n[leaf]:0:1\n");
}

TEST_F(ContextLinesTest, EntriesOfInlinedCopiesAreEstimated) {
  counts_.begin(context({{"_start", {2, 0}}, {"leaf", {}}}), true);
  counts_.add_range({leaf_.front(), leaf_.front(), 7});
  auto made = profile();
  ASSERT_EQ(made.functions().size(), 2u);
  const auto* caller = made.find(made.contexts.top(made.names.intern("_start")));
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->total, 7u);
  EXPECT_EQ(caller->body.find({2, 0})->samples, 7u);
  EXPECT_EQ(caller->body.find({2, 0})->target_sum(), 7u);
  EXPECT_EQ(caller->attributes, 0u);
  auto site = made.contexts.top(made.names.intern("_start"));
  const auto* callee = made.find(made.contexts.child(site, {2, 0}, made.names.intern("leaf")));
  ASSERT_TRUE(callee);
  EXPECT_EQ(callee->attributes, profile::was_inlined);
}

TEST_F(ContextLinesTest, UnknownContextsHaveNoBody) {
  counts_.begin(ContextId::none, false);
  counts_.add_range({leaf_.front(), leaf_.back(), 4});
  EXPECT_TRUE(profile().functions().empty());
}

}  // namespace
}  // namespace pgokit::generate
