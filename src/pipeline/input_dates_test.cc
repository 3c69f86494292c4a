#include "pipeline/input_dates.h"

#include <gmock/gmock.h>

#include "base/utc_date.h"
#include "test/support/shell.h"

namespace pgokit::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<u64> weights(const Inputs& inputs) {
  std::vector<u64> list;
  for (const auto& input : inputs) list.push_back(input.weight);
  return list;
}

class InputDates : public testing::Test {
 protected:
  // A text profile with a note of that date.
  profile::MergeInput noted(const std::string& name, std::string_view date, u64 weight = 1) {
    folder_.write(name, fmt::format("# pgokit note: date={} program=f\nf:1:1\n 1: 1\n", date));
    return {folder_.file(name), weight};
  }
  test::ScratchDir folder_;
};

TEST_F(InputDates, WeighByTheirNotes) {
  Inputs inputs{noted("a", "2024-03-15"), noted("b", "2024-03-01", 3), noted("c", "2024-02-16")};
  auto ages = weigh_by_age(inputs, 14);
  ASSERT_TRUE(ages);
  EXPECT_THAT(weights(inputs), ElementsAre(1024, 3 * 512, 256));
  EXPECT_FALSE((*ages)[0].by_file);
  EXPECT_EQ((*ages)[0].date, parse_utc("2024-03-15"));
}

TEST_F(InputDates, WeighByTheirFilesWithoutNotes) {
  folder_.write("new", "f:1:1\n 1: 1\n");
  folder_.write("old", "f:1:1\n 1: 1\n");
  test::run(
      fmt::format("touch -d 2024-03-15T00:00:00Z {0}/new; touch -d 2024-03-08T00:00:00Z {0}/old",
                  folder_.path()));
  Inputs inputs{{folder_.file("old")}, {folder_.file("new")}};
  auto ages = weigh_by_age(inputs, 7);
  ASSERT_TRUE(ages);
  EXPECT_TRUE((*ages)[0].by_file);
  EXPECT_THAT(weights(inputs), ElementsAre(512, 1024));
}

TEST_F(InputDates, LeaveOutWhatIsTooOld) {
  Inputs inputs{noted("a", "2024-03-15"), noted("b", "2004-03-15")};
  auto ages = weigh_by_age(inputs, 30);
  ASSERT_TRUE(ages);
  EXPECT_THAT(weights(inputs), ElementsAre(1024));
  EXPECT_EQ((*ages)[1].weight, 0);
}

TEST_F(InputDates, OfWhatHasNoDate) {
  Inputs nowhere{noted("a", "2024-03-15"), {folder_.file("nowhere")}};
  ASSERT_TRUE(weigh_by_age(nowhere, 7));
  EXPECT_THAT(weights(nowhere), ElementsAre(1024, 1024));  // merging says that it is not there
  Inputs standard{{"-"}};
  auto ages = weigh_by_age(standard, 7);
  ASSERT_FALSE(ages);
  EXPECT_THAT(ages.error().message, HasSubstr("standard input has no date"));
  EXPECT_EQ(file_date(folder_.path()), std::nullopt);
}

}  // namespace
}  // namespace pgokit::pipeline
