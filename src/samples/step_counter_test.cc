#include "samples/step_counter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace pgokit::samples {
namespace {

using Sums = std::map<std::tuple<u32, u32, u32>, u64>;

void add(StepCounter& counter, const Step& step, u64 weight) {
  size_t hash = counter.prefetch(step), slot;
  counter.make_room(1);
  if (counter.find(step, hash, slot))
    counter.add_known(slot, weight);
  else
    counter.add(step, weight);
}

Sums sums(const StepCounter& counter) {
  Sums found;
  counter.for_each([&](const Step& step, u64 count) {
    EXPECT_TRUE(found.emplace(std::tuple(step.start, step.from, step.to), count).second);
  });
  return found;
}

TEST(StepCounter, CountsLikeAMap) {
  std::mt19937 random(1);
  Sums expected;
  StepCounter one, other;
  for (int i = 0; i < 20000; ++i) {
    Step step{static_cast<u32>(random() % 10), static_cast<u32>(random() % 50),
              static_cast<u32>(random() % 20)};
    u64 weight = random() % 4 ? 1 : u64{random()} << random() % 33;
    add(i % 3 ? one : other, step, weight);
    expected[{step.start, step.from, step.to}] += weight;
  }
  one.merge(other);
  EXPECT_EQ(sums(one), expected);
  EXPECT_EQ(one.size(), expected.size());
}

TEST(StepCounter, SumsBeginAnewBehindTheLargest) {
  StepCounter counter;
  add(counter, {1, 2, 3}, ~u64{0});
  add(counter, {1, 2, 3}, 3);
  EXPECT_EQ(sums(counter), (Sums{{{1, 2, 3}, 2}}));
}

TEST(StepCounter, KeepsStepsWithoutWeight) {
  StepCounter counter;
  add(counter, {1, 2, 3}, 0);
  EXPECT_EQ(sums(counter), (Sums{{{1, 2, 3}, 0}}));
}

}  // namespace
}  // namespace pgokit::samples
