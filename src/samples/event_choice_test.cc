#include "samples/event_choice.h"

#include <gmock/gmock.h>

#include "perf/test_recordings.h"

namespace pgokit::samples {
namespace {

using perf::Writer;
using testing::ElementsAre;
using testing::IsEmpty;

struct Recorded {
  const char* name;
  u32 type;
  u64 config;
  int samples;
  bool with_branches = true;
  bool of_memory = false;
};

perf::test::Image recording_of(const std::vector<Recorded>& events) {
  std::vector<Writer::Event> attrs;
  for (const auto& one : events) {
    auto event = perf::test::branch_event({10 + attrs.size()});
    event.name = one.name;
    event.attr.type = one.type;
    event.attr.config = one.config;
    if (one.of_memory) event.attr.sample_type |= perf::field::addr | perf::field::data_src;
    if (!one.with_branches) event.attr.sample_type &= ~perf::field::branch_stack;
    attrs.push_back(std::move(event));
  }
  return perf::test::recording(attrs, [&](Writer& writer) {
    for (size_t i = 0; i < events.size(); ++i)
      for (int n = 0; n < events[i].samples; ++n)
        writer.sample({.id = {.pid = 7, .tid = 7, .time = 5, .id = 10 + i}, .event = i});
  });
}

Result<EventChoice> chosen(const std::vector<Recorded>& events, EventUse use,
                           const std::optional<std::string>& wanted = "") {
  auto image = recording_of(events);
  return choose_event(*perf::Recording::open(image), use, wanted, 2);
}

const Recorded cycles{"cycles:u", 0, 0, 3}, clock{"cpu-clock:u", 1, 0, 5},
    faults{"page-faults", 1, 2, 9}, taken{"br_inst_retired.near_taken:uppp", 4, 0x20c4, 2};

TEST(EventChoice, CyclesThenClocksThenWhateverHasMost) {
  auto best = chosen({faults, clock, cycles}, EventUse::addresses);
  EXPECT_EQ(best->name, "cycles:u");
  EXPECT_THAT(best->taken, ElementsAre(false, false, true));
  EXPECT_THAT(best->others,
              ElementsAre(NamedSamples{"page-faults", 9}, NamedSamples{"cpu-clock:u", 5}));
  EXPECT_EQ(chosen({faults, clock}, EventUse::addresses)->name, "cpu-clock:u");
  EXPECT_EQ(chosen({{"minor-faults", 1, 5, 1}, faults}, EventUse::addresses)->name, "page-faults");
}

TEST(EventChoice, BranchStacksAreBestWhereBranchesAreTaken) {
  for (auto event : {taken, Recorded{"r20c4", 4, 0x20c4, 1}, Recorded{"r20c4:u", 4, 0x20c4, 1}}) {
    EXPECT_EQ(chosen({cycles, event}, EventUse::branches)->name, event.name);
    EXPECT_EQ(chosen({cycles, event}, EventUse::addresses)->name, "cycles:u");
  }
}

TEST(EventChoice, EventsWithoutSamplesAreNotChosen) {
  EXPECT_EQ(chosen({{"cycles:u", 0, 0, 0}, clock, faults}, EventUse::addresses)->name,
            "cpu-clock:u");
  auto only = chosen({{"cycles:u", 0, 0, 0}, faults}, EventUse::addresses);
  EXPECT_EQ(only->name, "");
  EXPECT_TRUE(only->takes(1));
}

TEST(EventChoice, SamplesThatCannotHaveBranchesAreLeftToTheReader) {
  auto event = chosen({{"cycles:u", 0, 0, 3, false}, clock, faults}, EventUse::branches);
  EXPECT_EQ(event->name, "cpu-clock:u");
  EXPECT_THAT(event->taken, ElementsAre(true, true, false));
}

TEST(EventChoice, AccessesToMemoryAreNeverMixedWithBranches) {
  const Recorded accesses{"memory-accesses:u", 1, 9, 50, false, true};
  auto branches = chosen({clock, accesses}, EventUse::branches);
  EXPECT_EQ(branches->name, "");
  EXPECT_THAT(branches->taken, ElementsAre(true, false));
  EXPECT_THAT(chosen({clock, accesses, cycles}, EventUse::branches)->taken,
              ElementsAre(false, false, true));
  EXPECT_EQ(chosen({clock, accesses}, EventUse::addresses)->name, "cpu-clock:u");
  EXPECT_FALSE(chosen({clock, accesses}, EventUse::branches, "memory-accesses").has_value());
  // perf's own, with branch stacks: as any other
  const Recorded with_both{"mem-loads", 4, 0x1cd, 3, true, true};
  EXPECT_THAT(chosen({with_both, faults}, EventUse::branches)->taken, ElementsAre(false, true));
}

TEST(EventChoice, BothKindsOfCoresAndBothModesAreOneEvent) {
  for (auto [one, two] :
       {std::pair("cpu_core/cycles/u", "cpu_atom/cycles/u"), {"cycles:u", "cycles:k"}}) {
    std::vector<Recorded> events{{one, 0, 0x400000000, 1}, {two, 0, 0x800000000, 1}};
    EXPECT_THAT(chosen(events, EventUse::branches)->taken, IsEmpty());
    events.push_back(faults);
    auto event = chosen(events, EventUse::branches);
    EXPECT_EQ(event->name, "cycles");
    EXPECT_THAT(event->taken, ElementsAre(true, true, false));
    EXPECT_EQ(chosen(events, EventUse::branches, one)->taken[1], false);
  }
}

TEST(EventChoice, OneByNameOnRequest) {
  for (auto name : {"cycles", "cycles:u"})
    EXPECT_THAT(chosen({taken, cycles}, EventUse::branches, name)->taken, ElementsAre(false, true));
  EXPECT_EQ(chosen({cycles}, EventUse::branches, "cycles")->name, "cycles");
  EXPECT_EQ(chosen({cycles, faults}, EventUse::branches, "instructions").error().message,
            "--event instructions: it has cycles:u, page-faults");
}

TEST(EventChoice, AllWhereNobodyAsks) {
  auto all = chosen({cycles, faults}, EventUse::branches, std::nullopt);
  EXPECT_THAT(all->taken, IsEmpty());
  EXPECT_THAT(all->others, IsEmpty());
}

TEST(EventChoice, SeveralRecordingsTogether) {
  EventChoice all{{true, false}, "cycles", {{"page-faults", 4}}};
  all.add({{true}, "cycles", {{"page-faults", 3}, {"cpu-clock", 9}}});
  all.add({});
  EXPECT_EQ(all.name, "cycles");
  EXPECT_TRUE(all.takes(1));
  EXPECT_THAT(all.others,
              ElementsAre(NamedSamples{"cpu-clock", 9}, NamedSamples{"page-faults", 7}));
  all.add({{true}, "cpu-clock", {}});
  EXPECT_EQ(all.name, "cycles, cpu-clock");
}

}  // namespace
}  // namespace pgokit::samples
