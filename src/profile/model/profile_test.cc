#include "profile/model/profile.h"

#include <gmock/gmock.h>

namespace pgokit::profile {
namespace {

using testing::ElementsAre;

std::vector<u32> keys(const FillMap<NameId, u64>& map) {
  std::vector<u32> keys;
  for (const auto& [key, value] : map) keys.push_back(static_cast<u32>(key));
  return keys;
}

TEST(FillMap, KeepsFewInOrderWhateverTheOrderOfInsertion) {
  FillMap<NameId, u64> map;
  for (u32 key : {5, 1, 3, 5, 1}) ++map[NameId{key}];
  EXPECT_THAT(keys(map), ElementsAre(1, 3, 5));
  EXPECT_EQ(*map.find(NameId{5}), 2);
  EXPECT_EQ(map.find(NameId{4}), nullptr);
}

TEST(FillMap, ManyInAnyOrderAreSortedAtTheEnd) {
  FillMap<NameId, u64> map;
  constexpr u32 n = 10007;
  for (u32 round = 0; round < 2; ++round)
    for (u32 i = 0; i < n; ++i) ++map[NameId{i * 7919 % n}];
  EXPECT_EQ(*map.find(NameId{n - 1}), 2);
  EXPECT_EQ(map.find(NameId{n}), nullptr);
  map.sort();
  auto sorted = keys(map);
  EXPECT_EQ(sorted.size(), n);
  EXPECT_TRUE(std::ranges::is_sorted(sorted));
  EXPECT_TRUE(map.erase(NameId{17}));
  EXPECT_FALSE(map.erase(NameId{17}));
  EXPECT_EQ(*map.find(NameId{18}), 2);
}

TEST(FillMap, IsSortedByItsNewKeys) {
  for (u32 n : {3, 1000}) {
    FillMap<NameId, u64> map;
    for (u32 i = 0; i < n; ++i) map[NameId{i * 7 % n}] = i * 7 % n;
    map.rename([&](NameId id) { return NameId{n - static_cast<u32>(id)}; });
    EXPECT_TRUE(std::ranges::is_sorted(keys(map)));
    EXPECT_EQ(*map.find(NameId{1}), n - 1);
    EXPECT_EQ(map.find(NameId{0}), nullptr);
  }
}

TEST(FunctionSamples, NamesAreThoseOfAnotherTable) {
  FunctionSamples samples;
  samples.add_target({1, 0}, NameId{1}, 5);
  samples.add_target({1, 0}, NameId{2}, 6);
  samples.inlinee({2, 0}, NameId{1}).inlinee({3, 0}, NameId{2}).add_body({4, 0}, 7);
  samples.add_vtable({5, 0}, NameId{2}, 8);
  samples.rename(std::vector{NameId{30}, NameId{20}, NameId{10}});
  EXPECT_EQ(samples.name, NameId{30});
  EXPECT_THAT(keys(*samples.body.find({1, 0})->targets), ElementsAre(10, 20));
  EXPECT_EQ(*samples.body.find({1, 0})->targets->find(NameId{10}), 6u);
  auto& inner = samples.inlinee({2, 0}, NameId{20}).inlinee({3, 0}, NameId{10});
  EXPECT_EQ(inner.name, NameId{10});
  EXPECT_EQ(inner.body.find({4, 0})->samples, 7u);
  EXPECT_EQ(*samples.vtables->find({5, 0})->find(NameId{10}), 8u);
}

TEST(NameTable, IdsAndTextsDoNotMix) {
  NameTable names;
  NameId id = names.intern_guid(4660), text = names.intern("4660"), other = names.intern("a");
  EXPECT_NE(id, text);
  EXPECT_EQ(names.text(id), names.text(text));
  EXPECT_EQ(names.guid(id), 4660);
  EXPECT_TRUE(names.less(id, text));
  EXPECT_THAT(names.ranks(), ElementsAre(0, 1, 2));
  EXPECT_FALSE(names.less(other, text));
}

TEST(Contexts, AreEqualWhenTheirFramesAre) {
  NameTable names;
  NameId main = names.intern("main"), foo = names.intern("foo");
  Contexts contexts;
  ContextId deep = contexts.child(contexts.top(main), {3, 1}, foo);
  EXPECT_EQ(deep, contexts.child(contexts.top(main), {3, 1}, foo));
  EXPECT_NE(deep, contexts.child(contexts.top(main), {3, 0}, foo));
  EXPECT_EQ(contexts.text(deep, names), "main:3.1 @ foo");
  EXPECT_EQ(contexts.text(contexts.top(foo), names), "foo");
}

TEST(FunctionSamples, CountsStopAtTheLargest) {
  FunctionSamples f;
  f.add_total(~u64{0} - 1);
  f.add_total(5);
  f.add_body({1, 0}, ~u64{0});
  f.add_body({1, 0}, 1);
  EXPECT_EQ(f.total, ~u64{0});
  EXPECT_EQ(f.body.begin()->value.samples, ~u64{0});
  FunctionSamples g;
  EXPECT_TRUE(merge(g, f, 3));
  EXPECT_EQ(g.total, ~u64{0});
}

TEST(FunctionSamples, EntryIsEstimatedFromTheFirstPlace) {
  FunctionSamples f;
  EXPECT_EQ(f.entry_estimate(false), 0);
  f.total = 100, f.head = 9;
  EXPECT_EQ(f.entry_estimate(false), 1);
  EXPECT_EQ(f.entry_estimate(true), 9);
  f.add_body({2, 0}, 7);
  EXPECT_EQ(f.entry_estimate(false), 7);
  f.inlinee({1, 0}, NameId{1}).add_body({1, 0}, 3);
  f.inlinee({1, 0}, NameId{2}).add_body({1, 0}, 4);
  f.inlinee({1, 0}, NameId{2}).add_body({0, 0}, 5);
  EXPECT_EQ(f.entry_estimate(false), 8);
}

TEST(Merge, LeavesOutWhatHasAnotherChecksum) {
  FunctionSamples a, b;
  a.checksum = 1, b.checksum = 2;
  b.add_total(5);
  EXPECT_FALSE(merge(a, b));
  EXPECT_EQ(a.total, 0);
  a.checksum = 0;
  EXPECT_TRUE(merge(a, b));
  EXPECT_EQ(a.checksum, 2);
}

TEST(Merge, TranslatesNamesAndContexts) {
  Profile a, b;
  a.names.intern("first");
  NameId f = b.names.intern("f"), g = b.names.intern("g");
  auto context = b.contexts.child(b.contexts.top(f), {1, 0}, g);
  b.function(context).add_target({2, 0}, f, 4);
  b.function(f).inlinee({3, 0}, g).add_body({1, 1}, 5);
  merge(a, b, 2);
  merge(a, b);
  ASSERT_EQ(a.functions().size(), 2);
  const auto& first = a.functions()[0];
  EXPECT_EQ(a.contexts.text(first.context, a.names), "f:1 @ g");
  EXPECT_EQ(first.samples.body.begin()->value.target_sum(), 12);
}

TEST(Profile, OrderIsByTotalThenContext) {
  Profile profile;
  for (auto name : {"c", "a", "b"}) profile.function(profile.names.intern(name)).total = 1;
  NameId a = profile.names.intern("a"), d = profile.names.intern("d");
  profile.function(profile.contexts.child(profile.contexts.top(a), {1, 0}, d)).total = 1;
  profile.function(d).total = 2;
  std::vector<std::string> order;
  for (const auto* f : profile.ordered())
    order.push_back(profile.contexts.text(f->context, profile.names));
  EXPECT_THAT(order, ElementsAre("d", "a", "a:1 @ d", "b", "c"));
  profile.keep_if([&](const Function& f) { return f.samples.name != d; });
  EXPECT_EQ(profile.functions().size(), 3);
  EXPECT_EQ(profile.function(a).total, 1);
}

TEST(Contexts, AreRankedByTheirFramesFromTheOutermostOn) {
  Profile profile;
  NameId a = profile.names.intern("z"), b = profile.names.intern("y");  // later names first
  auto& contexts = profile.contexts;
  auto top_b = contexts.top(b), top_a = contexts.top(a);
  auto late = contexts.child(top_a, {3, 1}, a), early = contexts.child(top_a, {3, 0}, b);
  auto below = contexts.child(early, {9, 0}, a), same_site = contexts.child(top_a, {3, 0}, a);
  auto ranks = contexts.ranks(profile.names.ranks());
  auto rank = [&](ContextId id) { return ranks[static_cast<size_t>(id)]; };
  EXPECT_LT(rank(top_b), rank(top_a));  // "y" < "z"
  EXPECT_LT(rank(top_a), rank(early));
  EXPECT_LT(rank(early), rank(below));
  EXPECT_LT(rank(below), rank(same_site));
  EXPECT_LT(rank(same_site), rank(late));
}

}  // namespace
}  // namespace pgokit::profile
