#include "measure/measurement.h"

#include <gmock/gmock.h>

#include <cmath>

namespace pgokit::measure {
namespace {

using testing::ElementsAre;

Run run_of(double cpu_s) { return {.wall_s = 2 * cpu_s, .user_s = cpu_s}; }

TEST(Measurement, CommandsAreWordsOrGoToAShell) {
  EXPECT_THAT(command_of(" ./app  --quiet train\t7 "),
              ElementsAre("./app", "--quiet", "train", "7"));
  EXPECT_THAT(command_of("  "), ElementsAre());
  for (const char* text : {"a | b", "a > b", "a 'b c'", "$A", "a *.c", "A=1 a", "a; b"})
    EXPECT_THAT(command_of(text), ElementsAre("/bin/sh", "-c", text));
}

TEST(Measurement, RatiosAreThoseOfRounds) {
  Measurement measurement;
  measurement.runs.resize(2);
  double speed = 1;
  for (int round = 0; round < 8; ++round, speed *= 1.5) {
    measurement.runs[0].push_back(run_of(speed));
    measurement.runs[1].push_back(run_of(speed * 0.75));
  }
  auto ratio = compare(measurement, Figure::cpu_time, 0, 1, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->value, 0.75, 1e-9);
  EXPECT_NEAR(ratio->low, 0.75, 1e-9);
  EXPECT_TRUE(ratio->differs());
  EXPECT_NEAR(ratio->largest_change(), 0.25, 1e-9);
  EXPECT_FALSE(compare(measurement, Figure::instructions, 0, 1, 0.95));
  EXPECT_FALSE(compare(measurement, Figure::peak_memory, 0, 1, 0.95)) << "none was told";
}

TEST(Measurement, SpreadIsThatOfTheMiddleHalf) {
  EXPECT_EQ(median_of({}), 0);
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(spread_of({5}), 0);
  EXPECT_NEAR(spread_of({90, 95, 100, 105, 1000}), 0.05, 1e-9);
}

TEST(Measurement, OutliersAreFarFromTheOthers) {
  auto outliers = outliers_of({100, 101, 99, 100, 102, 98, 150, 100});
  EXPECT_EQ(outliers.count, 1U);
  EXPECT_NEAR(outliers.most, 1.5, 1e-9);
  EXPECT_EQ(outliers_of({100, 100, 100, 100, 101}).count, 0U) << "1 % is nothing";
  EXPECT_EQ(outliers_of({100, 120, 80, 140, 60}).count, 0U) << "as far as the others";
  EXPECT_EQ(outliers_of({}).count, 0U);
  outliers = outliers_of({100, 101, 99, 100, 102, 98, 72, 100});
  EXPECT_EQ(outliers.count, 0U);
  EXPECT_EQ(outliers.short_count, 1U);
  EXPECT_NEAR(outliers.least, 0.72, 1e-9);
}

TEST(Measurement, LoadIsWhatOthersDid) {
  MachineTimes before{.elapsed_s = 10, .busy_s = 5, .stolen_s = 1, .known = true};
  MachineTimes after{.elapsed_s = 20, .busy_s = 20, .stolen_s = 2, .known = true};
  auto load = before.until(after, 9);
  EXPECT_NEAR(load.others, 0.6, 1e-9);
  EXPECT_NEAR(load.stolen, 0.1, 1e-9);
  EXPECT_EQ(before.until(after, 100).others, 0);
  EXPECT_EQ(before.until(MachineTimes{}, 0).others, 0);
}

TEST(Measurement, ARunIsToldWithWhatIsLeft) {
  EXPECT_EQ(as_text({.command = "./app", .number = 2}), "run 2: ./app");
  EXPECT_EQ(as_text({.command = "./app", .number = 12, .of = 50, .left_s = 65.2}),
            "run 12 of 50, 1:05 left: ./app");
  EXPECT_EQ(as_text({.command = "./app", .number = 51, .of = 50}),
            "run 51 of 51, 0:00 left: ./app");
}

TEST(Measurement, TheEndIsToldAfterTheFirstRound) {
  std::vector<Step> steps;
  Plan plan{.commands = {"true", "sh -c :"}, .rounds = 3};
  plan.progress = [&](const Step& step) { steps.push_back(step); };
  ASSERT_TRUE(measure(plan));
  ASSERT_EQ(steps.size(), 8);
  EXPECT_EQ(steps[3].of, 0);
  EXPECT_EQ(steps[4].of, 8);
  EXPECT_EQ(steps[7].number, 8);
  EXPECT_GT(steps[4].left_s, 0);
}

}  // namespace
}  // namespace pgokit::measure
