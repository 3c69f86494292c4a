#include "analysis/explanation.h"

#include <gmock/gmock.h>

#include "base/cursor.h"

namespace pgokit::analysis {
namespace {

using profile::Profile;

// A function of a program of probes.
void put(ProgramShape& shape, std::string_view name, u64 checksum) {
  auto& function = shape.function(shape.names.intern(name));
  function.known = true;
  function.checksum = checksum;
  function.code_bytes = 10;
  function.places = {{1, 0}, {2, 0}};
}

void put(Profile& profile, std::string_view name, u64 checksum, u64 samples) {
  auto& function = profile.function(profile.names.intern(name));
  function.checksum = checksum;
  function.add_total(samples);
  function.raise_body({1, 0}, samples);
}

struct Build {
  Build() {
    profile.flags.probe_based = true;
    shape.has_probes = true;
    facts.probes.emplace();
  }

  Explanation explain() {
    profile.sort();
    shape.index_guids();
    for (const auto& function : profile.functions())
      if (auto name = profile.names.text(function.samples.name); shape.find(name))
        symbols.emplace(name);
    return analysis::explain({.profile = &profile,
                              .facts = &facts,
                              .shape = has_shape ? &shape : nullptr,
                              .symbols = &symbols,
                              .density = density},
                             compiled);
  }

  Profile profile;
  ProgramShape shape;
  program::ProgramFacts facts;
  std::unordered_set<std::string> symbols;
  Compiled compiled;
  bool has_shape = true;
  double density = 1000;
};

std::vector<std::string> causes_of(const Explanation& told) {
  std::vector<std::string> causes;
  for (const auto& function : told.functions)
    causes.push_back(function.name + " " + std::string(description_of(function.cause).name));
  return causes;
}

constexpr std::string_view applied = R"(--- !Analysis
Pass:            sample-profile-impl
Name:            AppliedSamples
Function:        same
Args:
  - NumSamples:      '90'
...
--- !Passed
Pass:            inline
Name:            Inlined
Function:        same
...
)";

TEST(Explanation, EachFunctionHasOneCauseAndTheSamplesAddUp) {
  Build build;
  put(build.profile, "same", 1, 100);
  put(build.profile, "changed", 2, 50);
  put(build.profile, "gone", 3, 20);
  put(build.shape, "same", 1);
  put(build.shape, "changed", 7);
  auto told = build.explain();
  EXPECT_THAT(causes_of(told),
              testing::ElementsAre("same fits", "changed stale", "gone not-found"));
  EXPECT_EQ(told.funnel.samples, 170u);
  EXPECT_EQ(told.funnel.in_program, 150u);
  EXPECT_EQ(told.funnel.matched, 100u);
  EXPECT_FALSE(told.funnel.believed);
  ASSERT_EQ(told.findings.size(), 3u);
  EXPECT_EQ(told.findings[0].cause, Cause::changed);  // the largest loss comes first
  EXPECT_EQ(told.findings[2].cause, Cause::fits);
  u64 sum = 0;
  for (const auto& finding : told.findings) sum += finding.samples;
  EXPECT_EQ(sum, told.funnel.samples);
}

TEST(Explanation, RemarksTellWhatWasUsed) {
  Build build;
  put(build.profile, "same", 1, 100);
  put(build.shape, "same", 1);
  ASSERT_TRUE(build.compiled.add_remarks(as_bytes(applied)));
  auto told = build.explain();
  EXPECT_THAT(causes_of(told), testing::ElementsAre("same used"));
  EXPECT_EQ(told.funnel.believed, 90u);
  EXPECT_EQ(told.funnel.lost_places, 10u);
  ASSERT_TRUE(told.functions[0].compiled);
  EXPECT_EQ(told.functions[0].compiled->inlined, 1u);
}

TEST(Explanation, RemarksWithoutSamplesAreOfABuildWithoutProfile) {
  Build build;
  put(build.profile, "same", 1, 100);
  put(build.shape, "same", 1);
  auto inlined = applied.substr(applied.find("--- !Passed"));
  ASSERT_TRUE(build.compiled.add_remarks(as_bytes(inlined)));
  auto told = build.explain();
  EXPECT_THAT(causes_of(told), testing::ElementsAre("same not-used"));
  EXPECT_EQ(told.funnel.believed, 0u);
}

TEST(Explanation, WhatConcernsTheWholeProfileIsSaidOfAll) {
  Build thin;
  put(thin.profile, "same", 1, 10);
  put(thin.shape, "same", 1);
  thin.density = 10;
  EXPECT_THAT(causes_of(thin.explain()), testing::ElementsAre("same thin"));

  Build blind;
  put(blind.profile, "same", 1, 100);
  put(blind.shape, "same", 1);
  blind.facts.probes.reset();
  blind.has_shape = false;
  EXPECT_THAT(causes_of(blind.explain()), testing::ElementsAre("same no-probes"));

  // Most of what ran is inlined, and has no symbol.
  Build inlined;
  for (const char* name : {"same", "a", "b", "c", "d"}) put(inlined.profile, name, 1, 100);
  put(inlined.shape, "same", 1);
  inlined.facts.probes.reset();
  inlined.has_shape = false;
  EXPECT_THAT(causes_of(inlined.explain()), testing::Each(testing::EndsWith(" no-probes")));

  Build other;
  for (const char* name : {"a", "b", "c", "main"}) put(other.profile, name, 1, 100);
  put(other.shape, "main", 5);
  for (const auto& cause : causes_of(other.explain()))
    EXPECT_THAT(cause, testing::EndsWith(" other-program"));
}

}  // namespace
}  // namespace pgokit::analysis
