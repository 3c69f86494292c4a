#include "profile/model/summary.h"

#include <gmock/gmock.h>

#include "profile/format.h"

namespace pgokit::profile {
namespace {

Profile three_functions() {
  Profile profile;
  FunctionSamples& a = profile.function(profile.names.intern("a"));
  a.total = 1000, a.head = 5;
  a.add_body({1, 0}, 90);
  a.inlinee({2, 0}, profile.names.intern("c")).add_body({1, 0}, 9);
  FunctionSamples& b = profile.function(profile.names.intern("b"));
  b.total = 2, b.head = 7;
  b.add_body({1, 0}, 1);
  b.add_body({2, 0}, 0);
  profile.function(profile.names.intern("never"));
  profile.sort();
  return profile;
}

TEST(Summary, CountsEveryPlace) {
  auto summary = summarize(three_functions());
  EXPECT_EQ(summary.total, 100);
  EXPECT_EQ(summary.max_count, 90);
  EXPECT_EQ(summary.max_function_count, 7);
  EXPECT_EQ(summary.num_counts, 4);
  EXPECT_EQ(summary.num_functions, 3);
  ASSERT_EQ(summary.entries.size(), 16);
  EXPECT_EQ(summary.count_at(900000), 90);
  EXPECT_EQ(summary.count_at(950000), 9);
  EXPECT_EQ(summary.count_at(hot_cutoff), 9);
  EXPECT_EQ(summary.count_at(cold_cutoff), 9);  // 99.9999 of 100 samples is 99
  EXPECT_EQ(summary.entries.back().num_counts, 2);
}

TEST(Summary, OfNothingIsZero) {
  auto summary = summarize(Profile{});
  EXPECT_EQ(summary.entries.size(), 16);
  EXPECT_EQ(summary.count_at(hot_cutoff), 0);
  EXPECT_EQ(density(Profile{}).density, 0);
  EXPECT_TRUE(hot_functions({}, {}, summary).empty());
}

TEST(Summary, AddsContextsOfOneFunction) {
  Profile profile;
  NameId f = profile.names.intern("f");
  auto top = profile.contexts.top(f);
  for (auto context : {top, profile.contexts.child(top, {1, 0}, f)})
    profile.function(context).add_body({1, 0}, 10);
  profile.flags.context_sensitive = true;
  auto summary = summarize(profile);
  EXPECT_EQ(summary.max_count, 20);
  EXPECT_EQ(summary.num_functions, 1);
  auto apart = summarize_contexts(profile);
  EXPECT_EQ(apart.max_count, 10);
  EXPECT_EQ(apart.num_functions, 2);
  EXPECT_EQ(apart.total, summary.total);
}

TEST(Summary, InlineesThatAreAlsoInTheirBaseCountOnce) {
  auto profile = three_functions();
  for (auto& function : profile.functions())
    for (auto& [location, callees] : function.samples.inlinees)
      for (auto& [name, inlinee] : callees) inlinee->attributes |= duplicated_into_base;
  EXPECT_EQ(summarize(profile).total, 91);
}

TEST(Density, IsThatOfTheLastFunctionNeeded) {
  auto result = density(three_functions());
  EXPECT_EQ(result.density, 49.5);  // a: 99 samples at 2 places are 99 % of 100
  EXPECT_EQ(result.functions, 1);
  EXPECT_DOUBLE_EQ(result.covered_share, 0.99);
  EXPECT_EQ(density(three_functions(), 1000000).density, 0.5);
}

TEST(HotFunctions, HaveAHotPlaceInlineesIncluded) {
  auto profile = three_functions();
  auto functions = profile.ordered();
  auto hot = hot_functions(functions, weigh(functions), summarize(profile));
  ASSERT_EQ(hot.size(), 1);
  EXPECT_EQ(hot[0].max_count, 90);
}

}  // namespace
}  // namespace pgokit::profile
