#include "record/software/code_cache.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <numeric>
#include <random>

#include "test/support/local_target.h"
#include "test/support/possible_branches.h"

namespace pgokit::record {
namespace {

using Sort = void(void*, size_t, size_t, int (*)(const void*, const void*));

int compare(const void* a, const void* b) {
  int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);
  return (x > y) - (x < y);
}

[[gnu::noinline]] void call_all(void (**functions)(), size_t n, int times) {
  for (; times > 0; --times)
    for (size_t i = 0; i < n; ++i) functions[i]();
}

std::vector<int> numbers(size_t n) {
  std::vector<int> list(n);
  std::mt19937 random(7);
  for (auto& one : list) one = static_cast<int>(random());
  return list;
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
    expect_possible(edges, edges.back().to);
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

// An indirect branch finds every block, however many share its index in the table.
TEST(CodeCache, BlocksOfOneIndexAreFoundAllTheTime) {
  constexpr size_t functions = 12;
  constexpr u64 size = functions << 16;
  constexpr u8 ret = 0xc3;
  auto* code = static_cast<u8*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  using Function = void();
  std::vector<Function*> list;
  u64 index = scratch::table_index(reinterpret_cast<u64>(code) + 100);
  for (u64 at = reinterpret_cast<u64>(code); at < reinterpret_cast<u64>(code) + size; ++at) {
    if (scratch::table_index(at) != index) continue;
    *reinterpret_cast<u8*>(at) = ret;
    list.push_back(reinterpret_cast<Function*>(at));
  }
  ASSERT_GE(list.size(), functions - 1);

  LocalTarget target({code, reinterpret_cast<void*>(&call_all)});
  size_t longest = 0;
  for (int round = 0; round < 40 && longest < 200; ++round) {
    target.window(&call_all, 200)(list.data(), list.size(), 20);
    longest = target.recorded().size();
    u64 missed = target.header().target;
    if (target.cache.enter(missed)) target.cache.publish(missed);
  }
  EXPECT_EQ(longest, 200U);
  munmap(code, size);
}

TEST(CodeCache, MoreOfCodeThatHasRunIsTranslatedAtOnce) {
  auto blocks = [](const CodeCache::HasRun& has_run) {
    LocalTarget target({reinterpret_cast<void*>(&qsort)});
    target.cache.set_has_run(has_run);
    target.cache.enter(reinterpret_cast<u64>(&qsort));
    return target.cache.blocks();
  };
  size_t unknown = blocks({}), known = blocks([](u64) { return true; });
  EXPECT_EQ(blocks([](u64) { return false; }), unknown);
  EXPECT_GT(known, 2 * unknown);
  EXPECT_LT(blocks([](u64 address) { return address == reinterpret_cast<u64>(&qsort); }), unknown);
}

TEST(CodeCache, NothingLeadsToHiddenCode) {
  constexpr u64 size = 4096, other = 2048;
  constexpr u8 ret = 0xc3, nop = 0x90;
  auto* code = static_cast<u8*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  code[64] = code[other] = ret;
  using Function = void();
  std::vector<Function*> list{reinterpret_cast<Function*>(code + 64),
                              reinterpret_cast<Function*>(code + other)};
  u64 first = reinterpret_cast<u64>(code + 64), second = reinterpret_cast<u64>(code + other);
  CodeRange range{second, second + 1};
  LocalTarget target({code, reinterpret_cast<void*>(&call_all)});
  auto record = [&] {
    target.window(&call_all, 200)(list.data(), list.size(), 60);
    return target.recorded().size();
  };
  for (int round = 0; round < 20 && record() < 200; ++round) {
    u64 missed = target.header().target;
    if (target.cache.enter(missed)) target.cache.publish(missed);
  }
  ASSERT_EQ(record(), 200U);
  u64 before = target.cache.enter(second);

  target.cache.hide(range);
  EXPECT_LT(record(), 200U);
  EXPECT_EQ(target.header().target, second);
  target.cache.show(range);
  EXPECT_EQ(record(), 200U);
  EXPECT_EQ(target.cache.enter(second), before);

  target.cache.hide(range);
  EXPECT_THAT(target.cache.forget_hidden({first, second}), testing::IsEmpty());
  EXPECT_THAT(target.cache.forget_hidden({first, second + 1}), testing::ElementsAre(range));
  code[other] = nop, code[other + 1] = ret;
  EXPECT_LT(record(), 200U);
  EXPECT_NE(target.cache.enter(second), before);
  target.cache.publish(second);
  EXPECT_EQ(record(), 200U);
  munmap(code, size);
}

}  // namespace
}  // namespace pgokit::record
