#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "order/arrange.h"
#include "order/balanced.h"
#include "order/cache_directed.h"
#include "order/call_clusters.h"
#include "order/first_touch.h"
#include "order/layout.h"
#include "order/refine.h"

namespace pgokit::order {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

// "f0", "f1" ... of 100 bytes each, one behind the other.
Model model_of(u32 count, u64 size = 100) {
  Model model;
  for (u32 i = 0; i < count; ++i) {
    u32 f = model.function(fmt::format("f{}", i));
    model.functions[f] = {.size = size, .address = 0x1000 + i * size};
  }
  return model;
}

// Start-ups that share a fifth of their functions, which lie anywhere.
Model scenarios(u32 functions, u32 traces, u32 length) {
  Model model = model_of(functions);
  std::mt19937 random(1);
  std::vector<u32> all(functions);
  for (u32 i = 0; i < functions; ++i) all[i] = i;
  std::shuffle(all.begin(), all.end(), random);
  for (u32 t = 0; t < traces; ++t) {
    Trace trace;
    for (u32 i = 0; i < length / 5; ++i) trace.functions.push_back(all[i]);
    for (u32 i = 0; i < length - length / 5; ++i)
      trace.functions.push_back(all[(length + t * length / 2 + i) % functions]);
    std::ranges::sort(trace.functions);
    trace.functions.erase(std::ranges::unique(trace.functions).begin(), trace.functions.end());
    std::shuffle(trace.functions.begin(), trace.functions.end(), random);
    model.traces.push_back(trace);
  }
  return model;
}

TEST(FirstTouch, HeaviestTraceFirstThenWhatElseOthersRan) {
  Model model = model_of(6);
  model.traces.push_back({.functions = {5, 3, 1}, .weight = 1});
  model.traces.push_back({.functions = {4, 3}, .weight = 7});
  EXPECT_THAT(first_touch(model), ElementsAre(4, 3, 5, 1));
  EXPECT_THAT(first_touch(model_of(3)), IsEmpty());
}

TEST(CallClusters, CalleesFollowTheirMainCaller) {
  Model model = model_of(5);
  model.calls = {{0, 1, 100}, {1, 2, 90}, {3, 2, 20}, {3, 4, 50}};
  model.normalize();
  // 2 belongs to 1, not to 3; 4 to 3.
  EXPECT_THAT(call_clusters(model, {}), ElementsAre(0, 1, 2, 3, 4));
}

TEST(CallClusters, ClustersDoNotGrowPastTheirLimits) {
  Model model = model_of(3, 600);
  model.calls = {{2, 0, 100}, {0, 1, 90}};
  model.normalize();
  EXPECT_THAT(call_clusters(model, {.size = 1 << 20}), ElementsAre(2, 0, 1));
  EXPECT_THAT(call_clusters(model, {.size = 1200}), ElementsAre(1, 2, 0)) << "by density";
  EXPECT_THAT(call_clusters(model, {.size = 600}), ElementsAre(0, 1, 2));
}

TEST(CallClusters, RecursionAndUntouchedFunctionsDoNoHarm) {
  Model model = model_of(4);
  model.calls = {{1, 1, 5}, {1, 2, 3}, {2, 1, 3}};
  model.normalize();
  EXPECT_THAT(call_clusters(model, {}), UnorderedElementsAreArray({1, 2}));
}

TEST(CacheDirected, CallsBecomeShort) {
  Model model = model_of(1000);
  std::mt19937 random(3);
  auto any = [&] { return static_cast<u32>(random() % 1000); };
  for (int i = 0; i < 200; ++i) {
    u32 a = any(), b = any(), c = any();
    model.calls.push_back({a, b, 1 + random() % 1000});
    model.calls.push_back({b, c, 1 + random() % 1000});
  }
  model.normalize();
  auto now = call_distances(present_layout(model), model);
  for (auto order : {cache_directed(model, {}), call_clusters(model, {})}) {
    auto then = call_distances(layout_of(order, model), model);
    EXPECT_EQ(then.weight, now.weight);
    EXPECT_GT(then.within_page, 3 * now.within_page);
    EXPECT_LT(then.mean_log2, now.mean_log2 - 2);
  }
}

TEST(CacheDirected, EachFunctionOnceAlsoInChainsThatAreFull) {
  Model model = model_of(300);
  for (u32 i = 0; i < 300; ++i)
    for (u32 k : {u32{1}, u32{7}, u32{30}}) model.calls.push_back({i, (i * k + 1) % 300, i + k});
  model.normalize();
  std::vector<u32> all(300);
  for (u32 i = 0; i < 300; ++i) all[i] = i;
  EXPECT_THAT(cache_directed(model, {.chain_functions = 16}), UnorderedElementsAreArray(all));
  EXPECT_THAT(cache_directed(model, {}), UnorderedElementsAreArray(all));
}

TEST(Balanced, HasTheFunctionsOfTheTracesOnceOnAnyNumberOfThreads) {
  Model model = scenarios(1000, 7, 200);
  auto order = balanced(model, {.threads = 1});
  EXPECT_THAT(order, UnorderedElementsAreArray(first_touch(model)));
  EXPECT_EQ(order, balanced(model, {.threads = 4}));
}

TEST(Balanced, TouchesFewerPagesThanFirstTouchWhereScenariosDiffer) {
  Model model = scenarios(2000, 8, 400);
  auto area = [&](const std::vector<u32>& order) {
    return startup_area(order, model, model.traces, 4096);
  };
  EXPECT_LT(area(balanced(model, {})), 0.9 * area(first_touch(model)));
}

TEST(Balanced, FewFunctionsStayInTheirOrder) {
  Model model = model_of(3);
  model.traces.push_back({.functions = {2, 0, 1}});
  EXPECT_THAT(balanced(model, {}), ElementsAre(2, 0, 1));
  EXPECT_THAT(balanced(model_of(3), {}), IsEmpty());
}

TEST(Arrange, StartUpComesFirstAndTheRestByCalls) {
  Model model = model_of(6);
  model.traces.push_back({.functions = {5, 3}});
  model.calls = {{3, 4, 10}, {4, 0, 5}};
  model.normalize();
  auto done = arrange(model, {});
  EXPECT_THAT(done.order, ElementsAre(5, 3, 4, 0));
  EXPECT_EQ(done.startup, Algorithm::first_touch);
  EXPECT_EQ(done.steady, Algorithm::cache_directed);
  EXPECT_EQ(done.of_traces, 2u);
  EXPECT_EQ(done.of_calls, 2u);
  EXPECT_THAT(arrange(model, {.algorithm = Algorithm::c3}).order, ElementsAre(3, 4, 0, 5));
}

TEST(Refine, FindsTheBestPlacesOfFewFunctions) {
  Model model = scenarios(30, 4, 15);
  for (u32 f = 0; f < 30; ++f) model.functions[f].size = 700 + 90 * (f % 7);
  for (auto order : {first_touch(model), balanced(model, {})}) {
    auto refined = order;
    refine(refined, model, 4096);
    EXPECT_THAT(refined, UnorderedElementsAreArray(order));
    EXPECT_LT(startup_area(refined, model, model.traces, 4096),
              startup_area(order, model, model.traces, 4096));
  }
}

TEST(Refine, LeavesManyFunctionsAlone) {
  Model model = scenarios(3000, 7, 500);
  auto order = first_touch(model), refined = order;
  refine(refined, model, 4096);
  EXPECT_EQ(refined, order);
}

TEST(Arrange, AlgorithmsHaveNames) {
  EXPECT_EQ(algorithm_named("bp"), Algorithm::balanced);
  EXPECT_EQ(algorithm_named("hfsort"), Algorithm::c3);
  EXPECT_EQ(algorithm_named("best"), std::nullopt);
  EXPECT_EQ(algorithm_name(Algorithm::cache_directed), "cdsort");
}

TEST(Layout, CurveCountsPagesAsTheyAreTouched) {
  Model model = model_of(4, 4096);
  model.functions[3].address = 0;  // not there
  for (u32 f = 0; f < 3; ++f) model.functions[f].address = 0x1000 + 0x1800 * f;
  Trace trace{.functions = {0, 3, 1, 2}};
  auto curve = page_curve(present_layout(model), trace, 4096);
  EXPECT_EQ(curve.functions, 3u);
  EXPECT_EQ(curve.missing, 1u);
  EXPECT_EQ(curve.pages, 4u) << "page 1; 2 and 3; 4";
  EXPECT_EQ(curve.area, 1 + 3 + 4);
  EXPECT_THAT(touched_pages(present_layout(model), trace, 4096), ElementsAre(1, 2, 3, 4));
}

TEST(Layout, ADamagedSizeIsNotWalkedThrough) {
  Model model = model_of(1);
  model.functions[0].size = u64{1} << 62;
  EXPECT_LE(page_curve(present_layout(model), {.functions = {0}}, 4096).pages, 1u << 16);
}

TEST(Model, NormalizeAddsUpCallsAndStopsAtTheLargest) {
  Model model = model_of(2);
  model.calls = {{1, 0, ~u64{0}}, {0, 1, 2}, {1, 0, 3}, {0, 0, 0}};
  model.normalize();
  EXPECT_THAT(model.calls, ElementsAre(Call{0, 1, 2}, Call{1, 0, ~u64{0}}));
  EXPECT_EQ(model.functions[1].weight, 2u);
}

}  // namespace
}  // namespace pgokit::order
