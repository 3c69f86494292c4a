#include "record/software/code_cache.h"

#include <elf.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <numeric>
#include <random>

#include "isa/decoder.h"
#include "test/support/local_target.h"

namespace pgokit::record {
namespace {

using Sort = void(void*, size_t, size_t, int (*)(const void*, const void*));

int compare(const void* a, const void* b) {
  int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);
  return (x > y) - (x < y);
}

std::vector<int> numbers(size_t n) {
  std::vector<int> list(n);
  std::mt19937 random(7);
  for (auto& one : list) one = static_cast<int>(random());
  return list;
}

// What every recording has to satisfy: a branch at each `from` that can go to `to`, and straight
// code from each `to` to the next `from`.
void expect_possible(const std::vector<Edge>& edges) {
  auto decoder = isa::Decoder::for_machine(EM_X86_64).value();
  auto at = [&](u64 address) {
    return decoder.decode(Bytes(reinterpret_cast<const u8*>(address), 16), address);
  };
  for (size_t i = 0; i < edges.size(); ++i) {
    auto branch = at(edges[i].from);
    ASSERT_TRUE(isa::ends_range(branch.flow)) << i;
    if (branch.has_target) {
      EXPECT_EQ(branch.target, edges[i].to);
    }
    if (i == 0) continue;
    u64 pc = edges[i - 1].to;
    while (pc < edges[i].from) {
      auto one = at(pc);
      ASSERT_TRUE(one.ok());
      ASSERT_FALSE(isa::never_falls_through(one.flow)) << i;
      pc += one.length;
    }
    ASSERT_EQ(pc, edges[i].from) << i;
  }
}

TEST(CodeCache, ProgramsGoOnAsIfNothingWasWhereAWindowEnds) {
  LocalTarget target({reinterpret_cast<void*>(&qsort), reinterpret_cast<void*>(&compare)});
  auto expected = numbers(300);
  std::ranges::sort(expected);
  for (u32 branches = 1; branches < scratch::most_branches; branches += 7) {
    auto list = numbers(300);
    auto* sort = target.window<Sort>(&qsort, branches);
    sort(list.data(), list.size(), sizeof list[0], compare);
    ASSERT_EQ(list, expected) << branches;
  }
}

TEST(CodeCache, WhatIsRecordedIsPossible) {
  LocalTarget target({reinterpret_cast<void*>(&qsort), reinterpret_cast<void*>(&compare)});
  size_t longest = 0;
  for (int round = 0; round < 400; ++round) {
    auto list = numbers(50);
    auto* sort = target.window<Sort>(&qsort, 200);
    sort(list.data(), list.size(), sizeof list[0], compare);
    auto edges = target.recorded();
    expect_possible(edges);
    longest = std::max(longest, edges.size());
    // what a tracer does at a miss
    u64 missed = target.header().target;
    if (target.cache.reaches(missed)) {
      target.cache.enter(missed);
      target.cache.publish(missed);
    }
  }
  EXPECT_EQ(longest, 200U) << "calls of the comparison were never followed";
}

}  // namespace
}  // namespace pgokit::record
