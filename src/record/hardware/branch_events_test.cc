// Which rung of the ladder is taken, by what the kernel says to each of them.
#include "record/hardware/branch_events.h"

#include <gmock/gmock.h>

#include "test/support/replayed_events.h"

namespace pgokit::record {
namespace {

using test::ReplayedEvents;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<Rung> ladder = {
    {.name = "taken:u", .what = "", .type = PERF_TYPE_RAW, .config = 0x20c4, .period = 500'009},
    {.name = "cycles:u", .what = "", .type = PERF_TYPE_HARDWARE},
    {.name = "brs:u", .what = "", .type = 8, .config = 0xc4, .period = 500'009}};

// What is opened where each rung is answered by an error, 0: it can be.
Choice choose(std::vector<int> answers, const EventTarget& target = {},
              std::vector<ReplayedEvents::Opened>* opened = nullptr) {
  ReplayedEvents events({});
  size_t next = 0;
  events.refuse = [&](const perf_event_attr&, const EventTarget&) { return answers[next++]; };
  auto choice = choose_rung(ladder, target, events);
  if (opened) *opened = events.opened;
  return choice;
}

TEST(Ladder, FirstThatOpensIsTaken) {
  EXPECT_EQ(choose({0}).rung->name, "taken:u");
  EXPECT_EQ(choose({ENOENT, 0}).rung->name, "cycles:u");
  EXPECT_EQ(choose({EINVAL, EOPNOTSUPP, 0}).rung->name, "brs:u");
  EXPECT_TRUE(choose({EBUSY, 0}).why.empty());
}

TEST(Ladder, AsksForWhatIsRecorded) {
  std::vector<ReplayedEvents::Opened> opened;
  choose({ENOENT, 0}, {.pid = -1, .cpu = 3}, &opened);
  ASSERT_EQ(opened.size(), 1);
  EXPECT_EQ(opened[0].target.pid, -1);
  EXPECT_EQ(opened[0].target.cpu, 3);
  EXPECT_EQ(opened[0].attr.config, u64{PERF_COUNT_HW_CPU_CYCLES});
  EXPECT_TRUE(opened[0].attr.freq);
  EXPECT_EQ(opened[0].attr.branch_sample_type, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY);
  EXPECT_TRUE(opened[0].attr.exclude_kernel);
  choose({0}, {}, &opened);
  ASSERT_EQ(opened.size(), 1);
  EXPECT_FALSE(opened[0].attr.freq);
  EXPECT_EQ(opened[0].attr.sample_period, 500'009);
}

TEST(Ladder, EachRefusalIsTold) {
  auto choice = choose({ENOENT, EOPNOTSUPP, EINVAL});
  EXPECT_FALSE(choice.rung);
  EXPECT_EQ(choice.why,
            "taken:u: the processor has no such event, or the virtual machine does not pass it on; "
            "cycles:u: the processor records no branch stacks here; "
            "brs:u: the kernel's driver does not combine this event with branch stacks");
  EXPECT_THAT(choose({EBUSY, ENOSYS, EMFILE}).why,
              AllOf(HasSubstr("something else is using the counters"),
                    HasSubstr("a seccomp profile hides them"), HasSubstr("Too many open files")));
}

TEST(Ladder, RefusalsNameWhatIsNeededForWhat) {
  const EventTarget own, other{.pid = 5, .cpu = 0}, machine{.pid = -1, .cpu = 0};
  const EventTarget group{.pid = 5, .cpu = 0, .flags = PERF_FLAG_PID_CGROUP};
  auto why = [](const EventTarget& target, int paranoid) {
    auto text = explain(EACCES, ladder[0], target, paranoid);
    EXPECT_EQ(explain(EPERM, ladder[0], target, paranoid), text);
    return text;
  };
  EXPECT_THAT(why(own, 3), AllOf(HasSubstr("perf_event_paranoid is 3"), HasSubstr("2 is needed;")));
  EXPECT_THAT(why(own, 2), HasSubstr("a seccomp profile forbids"));
  EXPECT_THAT(why(other, 2), HasSubstr("belongs to another user"));
  for (const auto& wide : {machine, group}) {
    EXPECT_THAT(why(wide, 2), HasSubstr("0 is needed to record whole processors, or CAP_PERFMON"));
    EXPECT_THAT(why(wide, -1), HasSubstr("a seccomp profile forbids"));
  }
  EXPECT_THAT(choose({EACCES, EPERM, EACCES}).why, StartsWith("taken:u: not permitted: "));
  EXPECT_THAT(choose({EBADF, EBADF, EBADF}, group).why,
              HasSubstr("no perf events for this control group"));
  EXPECT_THAT(choose({EBADF, EBADF, EBADF}).why, HasSubstr("Bad file descriptor"));
}

// Whatever this machine is.
TEST(Ladder, OfThisMachineEndsWithWhatIsOnMost) {
  auto names = hardware_ladder();
  ASSERT_FALSE(names.empty());
  for (const auto& rung : names) EXPECT_TRUE(rung.branch_stack && rung.name.ends_with(":u"));
  EXPECT_TRUE(std::ranges::count(names, "cycles:u", &Rung::name));
}

}  // namespace
}  // namespace pgokit::record
