#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cursor.h"
#include "instrument/map.h"
#include "order/cut.h"
#include "order/from_mip.h"
#include "order/from_profile.h"
#include "test/support/mip_builder.h"

namespace pgokit::order {
namespace {

using test::DumpBuilder;
using test::MapBuilder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct CutCase {
  Model model;
  u32 a = model.function("a"), b = model.function("b"), c = model.function("c");
  std::vector<Touch> touches{{a, 10}, {b, 20}, {a, 25}, {c, 30}};
  CutFacts facts;
  std::vector<u32> apply(const Cut& cut, bool has_times = true) {
    return cut.apply(touches, std::vector<Mark>{{5, 3}}, has_times, model, facts);
  }
};

TEST(Cut, WhatComesFirstEndsTheStartUp) {
  CutCase t;
  EXPECT_THAT(t.apply({}), ElementsAre(t.a, t.b, t.c));
  EXPECT_THAT(t.apply({.microseconds = 20}), ElementsAre(t.a, t.b));
  EXPECT_THAT(t.apply({.mark = 5}), ElementsAre(t.a, t.b));
  EXPECT_THAT(t.apply({.function = "a"}), ElementsAre(t.a));
  EXPECT_THAT(t.apply({.microseconds = 20, .function = "c"}), ElementsAre(t.a, t.b));
  EXPECT_THAT(t.apply({.microseconds = 5}), IsEmpty());
}

TEST(Cut, TracesThatDoNotTellAreTakenWhole) {
  CutCase t;
  EXPECT_EQ(t.apply({.microseconds = 5}, false).size(), 3u);
  EXPECT_EQ(t.apply({.mark = 6}).size(), 3u);
  EXPECT_EQ(t.apply({.function = "nobody"}).size(), 3u);
  EXPECT_EQ(t.facts.without_time, 1u);
  EXPECT_EQ(t.facts.without_mark, 1u);
  EXPECT_EQ(t.facts.without_function, 1u);
}

constexpr const char* build_id = "\x01\x02";

std::string map_program() {
  MapBuilder map;
  for (const char* name : {"a", "b", "c"})
    map.function({.name = name, .address = 0x1000 + 0x10u * (name[0] - 'a'), .kinds = MIP_ORDER});
  return map.program(build_id);
}

std::string box(u32 sequence, u32 time) { return test::bytes_of(mip_first_run{sequence, time}); }

std::string dump(u32 pid, u32 a, u32 b, u32 c) {
  return DumpBuilder{.build_id = build_id,
                     .raw = MapBuilder::raw({box(a, a * 10), box(b, b * 10), box(c, c * 10)}),
                     .pid = pid}
      .record();
}

struct MipCase {
  Model model;
  Cut cut;
  CutFacts cuts;
  MipInputs inputs{model, cut, cuts};
  std::vector<std::string> notes;
};

TEST(MipInputs, EachDumpIsATraceWithItsWeight) {
  MipCase t;
  auto map = map_program(), first = dump(1, 2, 1, 0), second = dump(2, 1, 2, 3);
  ASSERT_TRUE(t.inputs.see("first", as_bytes(first), 1));
  ASSERT_TRUE(t.inputs.see("app", as_bytes(map), 1));
  ASSERT_TRUE(t.inputs.see("second", as_bytes(second), 5));
  ASSERT_TRUE(t.inputs.finish(t.notes));
  ASSERT_EQ(t.model.traces.size(), 2u);
  auto names = [&](const Trace& trace) {
    std::string text;
    for (u32 f : trace.functions) text += t.model.name(f);
    return text;
  };
  EXPECT_EQ(names(t.model.traces[0]), "ba");
  EXPECT_EQ(names(t.model.traces[1]), "abc");
  EXPECT_EQ(t.model.traces[1].weight, 5u);
  EXPECT_EQ(t.model.functions[*t.model.find("c")].address, 0x1020u);
  EXPECT_THAT(t.notes, IsEmpty());
}

TEST(MipInputs, TargetsAreCallsAndCoverageIsWeight) {
  MipCase t;
  MapBuilder map;
  map.function({.name = "caller",
                .address = 0x1000,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x1004, .kind = MIP_TARGETS}}});
  map.function({.name = "callee", .address = 0x1010, .kinds = MIP_COVERAGE});
  map.function({.name = "never", .address = 0x1020, .kinds = MIP_COVERAGE});
  auto program = map.program(build_id);
  mip_site site{
      .value = 0x1010, .hits = 6, .taken = 0, .more = 0, .module = 0, .lock = 0, .zero = 0};
  auto record = DumpBuilder{.build_id = build_id,
                            .raw = MapBuilder::raw({test::bytes_of(site), std::string(1, 0),
                                                    std::string(1, static_cast<char>(0xff))})}
                    .record();
  ASSERT_TRUE(t.inputs.see("app", as_bytes(program), 1));
  ASSERT_TRUE(t.inputs.see("dump", as_bytes(record), 2));
  ASSERT_TRUE(t.inputs.finish(t.notes));
  u32 caller = *t.model.find("caller"), callee = *t.model.find("callee");
  EXPECT_THAT(t.model.calls, ElementsAre(Call{caller, callee, 12}));
  EXPECT_EQ(t.model.functions[callee].weight, 2u);
  EXPECT_FALSE(t.model.find("never"));
  EXPECT_THAT(t.notes, IsEmpty());
}

TEST(MipInputs, DumpsWithoutAMapSayNothing) {
  MipCase t;
  auto only = dump(1, 1, 2, 3);
  ASSERT_TRUE(t.inputs.see("only", as_bytes(only), 1));
  auto status = t.inputs.finish(t.notes);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("only: a dump tells numbers"));
}

TEST(MipInputs, AMapOfAnotherBuildIsNotUsed) {
  MipCase t;
  MapBuilder map;
  map.function({.name = "x", .address = 0x1000, .kinds = MIP_ORDER});
  auto other = map.program("\x09\x09"), only = dump(1, 1, 2, 3);
  ASSERT_TRUE(t.inputs.see("other", as_bytes(other), 1));
  ASSERT_TRUE(t.inputs.see("only", as_bytes(only), 1));
  auto status = t.inputs.finish(t.notes);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("programs without a map"));
  EXPECT_THAT(t.model.traces, IsEmpty());
}

TEST(MipInputs, WrappedLogsSayWhatIsLost) {
  MipCase t;
  MapBuilder map;
  map.function({.name = "a", .address = 0x1000, .kinds = MIP_ORDER_LOG, .order_id = {7, 0}});
  auto program = map.program(build_id);
  auto log = DumpBuilder{.build_id = build_id,
                         .raw = MapBuilder::raw({}),
                         .order_ids = {{7, 0}, {9, 9}},
                         .lost_order = 30}
                 .record();
  ASSERT_TRUE(t.inputs.see("app", as_bytes(program), 1));
  ASSERT_TRUE(t.inputs.see("log", as_bytes(log), 1));
  ASSERT_TRUE(t.inputs.finish(t.notes));
  EXPECT_THAT(t.notes, ElementsAre(HasSubstr("30 first runs are lost"),
                                   HasSubstr("1 entry of logs of functions")));
}

TEST(FromProfile, CallsOfInlinedCodeAreThoseOfItsFunction) {
  profile::Profile profile;
  auto name = [&](const char* text) { return profile.names.intern(text); };
  auto& f = profile.function(name("f"));
  f.add_total(100);
  f.add_target({1, 0}, name("g"), 30);
  f.inlinee({2, 0}, name("h")).add_target({1, 0}, name("k"), 4);
  auto top = profile.contexts.top(name("f"));
  auto& g = profile.function(profile.contexts.child(top, {1, 0}, name("g")));
  g.add_total(60);
  g.add_head(30);
  profile.sort();
  Model model;
  add_profile(profile, 2, model);
  model.normalize();
  auto number = [&](const char* text) { return *model.find(text); };
  EXPECT_THAT(model.calls, testing::UnorderedElementsAre(Call{number("f"), number("g"), 120},
                                                         Call{number("f"), number("k"), 8}));
  EXPECT_EQ(model.functions[number("f")].weight, 200u);
  EXPECT_EQ(model.functions[number("g")].weight, 120u);
}

}  // namespace
}  // namespace pgokit::order
