#include "analysis/quality.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "profile/format.h"

namespace pgokit::analysis {
namespace {

using testing::ElementsAre;

profile::ReadProfile read(std::string_view text) {
  auto read = profile::read_profile(as_bytes(text));
  EXPECT_TRUE(read);
  return std::move(*read);
}

Quality quality(std::string_view text) { return measure_quality(columns_of(read(text)), 7); }

TEST(Quality, EntriesBesideCalls) {
  auto good = quality("main:30:1\n 1: 20 f:20\nf:10:20\n 1: 20\n");
  EXPECT_DOUBLE_EQ(good.entries_match_calls.value(), 1);
  EXPECT_DOUBLE_EQ(good.calls_beyond_places.value(), 0);
  EXPECT_EQ(good.functions, 2);
  EXPECT_EQ(good.samples, 40);
  EXPECT_EQ(good.density, 7);
  auto bad = quality("main:30:1\n 1: 20 f:40\nf:10:10\n 1: 10\n");
  EXPECT_DOUBLE_EQ(bad.entries_match_calls.value(), 0.25);
  EXPECT_DOUBLE_EQ(bad.calls_beyond_places.value(), 0.5);
  ASSERT_EQ(bad.odd.size(), 1);
  EXPECT_EQ(bad.odd[0].function, "f");
}

TEST(Quality, WithoutCallsThereIsNothingToMeasure) {
  auto quiet = quality("main:30:1\n 1: 20\n");
  EXPECT_FALSE(quiet.entries_match_calls);
  EXPECT_FALSE(quiet.calls_beyond_places);
}

// clang does not find them by their names.
TEST(Fit, StaticFunctionsOfAnotherCheckoutAreVanishedForACause) {
  ProgramShape shape;
  shape.has_probes = true;
  shape.names.intern("");
  shape.function(shape.names.intern("f.__uniq.2")).checksum = 1;
  shape.index_guids();
  auto profile = read("f.__uniq.1:60:1\n 1: 60\n !CFGChecksum: 1\n");
  auto fit = measure_fit(profile.profile, shape);
  EXPECT_DOUBLE_EQ(fit.stale_share(), 1);
  EXPECT_EQ(fit.other_path.functions, 1);
  EXPECT_TRUE(fit.vanished_names.empty());
}

TEST(Fit, TellsChangedAndVanishedFunctions) {
  ProgramShape shape;
  shape.has_probes = true;
  shape.names.intern("");
  for (auto [name, checksum] : {std::pair("same", 1), std::pair("changed", 22)}) {
    auto& function = shape.function(shape.names.intern(name));
    function.checksum = static_cast<u64>(checksum);
    function.code_bytes = 50;
  }
  shape.code_bytes = 200;
  shape.index_guids();
  auto profile = read(
      "same:60:1\n 1: 60\n !CFGChecksum: 1\nchanged:30:1\n 1: 30\n !CFGChecksum: 2\n"
      "gone:10:1\n 1: 10\n !CFGChecksum: 3\n");
  auto fit = measure_fit(profile.profile, shape);
  EXPECT_EQ(fit.all.samples, 100);
  EXPECT_DOUBLE_EQ(fit.stale_share(), 0.4);
  EXPECT_DOUBLE_EQ(fit.covered_share(), 0.5);
  EXPECT_THAT(fit.vanished_names, ElementsAre("gone"));
  EXPECT_THAT(fit.changed_names, ElementsAre("changed"));
}

// A compiler that does not find a function does not come to what was inlined into it.
TEST(Fit, WhatIsInlinedIntoVanishedFunctionsIsLostWithThem) {
  ProgramShape shape;
  shape.has_probes = true;
  shape.names.intern("");
  for (auto name : {"main", "leaf", "static.__uniq.2"})
    shape.function(shape.names.intern(name)).checksum = 1;
  shape.index_guids();
  auto profile = read(
      "gone:50:1\n 1: 1\n 2: leaf:49\n  1: 9\n  2: main:40\n   1: 40\n   !CFGChecksum: 1\n"
      "  !CFGChecksum: 1\n !CFGChecksum: 1\n"
      "main:50:1\n 1: 20\n 2: static.__uniq.1:30\n  1: 10\n  2: leaf:20\n   1: 20\n"
      "   !CFGChecksum: 1\n  !CFGChecksum: 1\n !CFGChecksum: 1\n");
  auto fit = measure_fit(profile.profile, shape);
  EXPECT_EQ(fit.all.samples, 100);
  EXPECT_EQ(fit.vanished.samples, 80);
  EXPECT_EQ(fit.other_path.samples, 30);
  EXPECT_EQ(fit.vanished.functions, 2);
  for (const auto& function : fit.functions) {
    auto name = profile.profile.names.text(function.name);
    u64 samples = name == "gone" ? 50 : name == "main" ? 20 : name == "leaf" ? 0 : 30;
    EXPECT_EQ(function.samples, samples) << name;
  }
}

// Calls of both go to the one whose code was kept.
TEST(Fit, FoldedFunctionsHaveNotVanished) {
  ProgramShape shape;
  shape.names.intern("");
  auto kept = shape.names.intern("kept"), folded = shape.names.intern("folded");
  shape.function(kept).code_bytes = 50;
  shape.function(kept).places = {{1, 0}};
  shape.function(folded).folded_into = kept;
  auto& main = shape.function(shape.names.intern("main"));
  main.code_bytes = 50;
  main.places = {{1, 0}, {2, 0}};
  main.anchors = {{.at = {1, 0}, .callees = {kept}}, {.at = {2, 0}, .callees = {kept}}};
  shape.code_bytes = 200;
  shape.index_guids();
  auto profile = read(
      "main:20:1\n 1: 10 kept:10\n 2: 10 folded:10\nkept:10:10\n 1: 10\nfolded:10:10\n 7: 10\n");
  auto fit = measure_fit(profile.profile, shape);
  EXPECT_EQ(fit.stale_share(), 0);
  EXPECT_EQ(fit.call_sites_there, 2);
  EXPECT_DOUBLE_EQ(fit.covered_share(), 0.5);
}

TEST(Fit, CodeIsCoveredByWhatIsInlinedThere) {
  ProgramShape shape;
  shape.functions.resize(1);
  shape.names.intern("");
  shape.function(shape.names.intern("outer")).code_bytes = 50;
  shape.code_bytes = 200;
  shape.index_guids();
  auto profile = read("outer:60:0\n 1: inner:60\n  1: 60\n");
  EXPECT_DOUBLE_EQ(measure_fit(profile.profile, shape).covered_share(), 0.25);
}

}  // namespace
}  // namespace pgokit::analysis
