#include "instr_profile/memory/memory_sum.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "base/cursor.h"
#include "instr_profile/memory/radix_array.h"
#include "instr_profile/memory/read_indexed_memory.h"

namespace pgokit::instr_profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace field = memory_field_number;

constexpr u64 main_function = 11, parse = 22, allocate = 33;

// main() calls parse(), with allocate() inlined, `lines` times; a stack for each.
MemoryProfile calls(u32 lines, u64 size) {
  MemoryProfile profile;
  for (u32 line = 1; line <= lines; ++line) {
    u32 outer = profile.add_frame({main_function, line, 3, false});
    u32 caller = profile.add_frame({parse, 5, 7, false});
    u32 inner = profile.add_frame({allocate, 1, line % 3, true});
    u32 node = profile.stacks.add(profile.stacks.add(StackTree::root, outer), caller);
    u32 stack = profile.add_stack(profile.stacks.add(node, inner));
    u64 values[] = {1, size * line, 1000, 50};
    u32 block = profile.add_block(hot_cold_memory_fields, values);
    profile.allocs.push_back({profile.record(allocate), stack, block});
    profile.allocs.push_back({profile.record(parse), stack, block});
    u32 site = profile.add_stack(profile.stacks.add(StackTree::root, outer));
    profile.callees.push_back(parse);
    profile.call_sites.push_back(
        {profile.record(main_function), site, static_cast<u32>(profile.callees.size() - 1), 1});
  }
  return profile;
}

// Of each function its allocations, with frames and sizes, and its calls.
std::vector<std::string> told(const MemoryProfile& profile) {
  std::vector<std::string> lines;
  auto stack_of = [&](u32 node) {
    std::string text;
    profile.stacks.each_frame(node, [&](u32 frame) {
      const auto& f = profile.frames[frame];
      text += fmt::format(" {}:{}.{}{}", f.function, f.line, f.column, f.inlined ? "i" : "");
    });
    return text;
  };
  for (const auto& one : profile.allocs)
    lines.push_back(fmt::format("{}{}: {}", profile.functions[one.record], stack_of(one.stack),
                                profile.value(one.block, field::size)));
  for (const auto& one : profile.call_sites)
    lines.push_back(fmt::format("{} calls{}{}", profile.functions[one.record], stack_of(one.stack),
                                one.callees ? " known" : ""));
  std::ranges::sort(lines);
  return lines;
}

MemorySection section_of(const std::string& bytes) {
  auto section = read_memory(as_bytes(bytes), 0);
  EXPECT_TRUE(section);
  return *section;
}

Result<MemoryProfile> read(const std::string& bytes) {
  return read_indexed_memory(section_of(bytes));
}

std::vector<std::string> without_callees(std::vector<std::string> lines) {
  for (auto& line : lines)
    if (line.ends_with(" known")) line.resize(line.size() - 6);
  std::ranges::sort(lines);
  return lines;
}

TEST(MemoryForms, AreReadAsTheyWereWritten) {
  auto profile = calls(50, 8);
  for (u64 version : {2, 3, 4}) {
    auto bytes = write_memory(profile, {.version = version});
    auto again = read(bytes);
    ASSERT_TRUE(again) << again.error().message;
    auto expected = told(profile);
    EXPECT_EQ(told(*again), version < 4 ? without_callees(expected) : expected) << version;
    // Also in another place, and a second time.
    auto elsewhere = moved(bytes, 0, 4096);
    auto there = read_indexed_memory({elsewhere, 4096, false});
    ASSERT_TRUE(there);
    EXPECT_EQ(told(*there), told(*again));
  }
}

TEST(MemoryForms, StacksShareTheirOuterFrames) {
  StackTree stacks;
  u32 outer = StackTree::root;
  for (u32 frame = 0; frame < 9; ++frame) outer = stacks.add(outer, frame);
  u32 first = stacks.add(outer, 9), second = stacks.add(outer, 10);
  std::vector<u64> ids(11);
  std::iota(ids.begin(), ids.end(), 0);
  RadixArray array(stacks, std::vector{first, second}, ids);
  // Ten frames and their number; the number, a frame and the distance to the others.
  EXPECT_EQ(array.elements().size(), 10 + 1 + 3);
  EXPECT_EQ(array.elements()[array.starts()[first]], 10);
  EXPECT_EQ(array.elements()[array.starts()[second]], 10);
  EXPECT_THAT(array.frame_order(), ElementsAre(8, 7, 6, 5, 4, 3, 2, 1, 0, 9, 10));
}

TEST(MemoryForms, DamageIsSaidOrDoesNotMatter) {
  for (u64 version : {2, 3, 4}) {
    auto whole = write_memory(calls(5, 8), {.version = version});
    for (size_t at = 0; at < whole.size(); ++at)
      for (char other : {'\x00', '\x7f', '\xff'}) {
        auto bytes = whole;
        bytes[at] = other;
        auto section = read_memory(as_bytes(bytes), 0);
        if (section) [[maybe_unused]]
          auto profile = read_indexed_memory(*section);
      }
    auto cut = read_memory(as_bytes(whole).first(whole.size() / 2), 0);
    EXPECT_FALSE(cut && read_indexed_memory(*cut)) << version;
  }
}

TEST(MemorySum, OneAloneStaysAsItIs) {
  auto bytes = write_memory(calls(3, 8), {.version = 4});
  MemorySum sum;
  ASSERT_TRUE(sum.add(section_of(bytes)));
  auto memory = std::move(sum).finish({});
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->bytes, bytes);
}

TEST(MemorySum, AnotherFormIsMadeIfWanted) {
  auto profile = calls(3, 8);
  auto bytes = write_memory(profile, {.version = 4});
  MemorySum sum;
  ASSERT_TRUE(sum.add(section_of(bytes)));
  auto memory = std::move(sum).finish({.version = 2, .all_fields = true});
  ASSERT_TRUE(memory);
  auto again = read(memory->bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(told(*again), without_callees(told(profile)));
  EXPECT_EQ(again->blocks[0].fields, all_memory_fields);
}

TEST(MemorySum, AllocationsOfBothAreThereAndCallsOnce) {
  auto first = write_memory(calls(2, 8), {}), second = write_memory(calls(3, 100), {});
  MemorySum sum;
  ASSERT_TRUE(sum.add(section_of(first)));
  ASSERT_TRUE(sum.add(section_of(second)));
  auto memory = std::move(sum).finish({});
  ASSERT_TRUE(memory);
  auto both = read(memory->bytes);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->allocs.size(), 2 * (2 + 3));
  EXPECT_EQ(both->call_sites.size(), 2);  // those of the first
  EXPECT_EQ(both->functions.size(), 3);
}

TEST(MemorySum, AnEmptyOneGivesWay) {
  auto empty = write_memory({}, {}), bytes = write_memory(calls(1, 8), {});
  for (bool empty_first : {true, false}) {
    MemorySum sum;
    ASSERT_TRUE(sum.add(section_of(empty_first ? empty : bytes)));
    ASSERT_TRUE(sum.add(section_of(empty_first ? bytes : empty)));
    EXPECT_EQ(std::move(sum).finish({})->bytes, bytes);
  }
}

TEST(MemorySum, AccessedDataIsKeptOfOne) {
  auto profile = calls(1, 8);
  profile.accessed_data = "data";
  auto with = write_memory(profile, {.version = 4}), without = write_memory(calls(2, 8), {});
  MemorySum sum;
  ASSERT_TRUE(sum.add(section_of(with)));
  ASSERT_TRUE(sum.add(section_of(without)));
  auto twice = sum.add(section_of(with));
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("not added up"));
  EXPECT_EQ(read(std::move(sum).finish({.version = 4})->bytes)->accessed_data, "data");
}

TEST(MemorySummary, ColdIsWhatLivesLongAndIsHardlyUsed) {
  auto profile = calls(1, 8);
  u64 cold[] = {1, 64, 200'000, 4};
  u32 node = profile.add_stack(
      profile.stacks.add(StackTree::root, profile.add_frame({main_function, 99, 1, false})));
  profile.allocs.push_back(
      {profile.record(main_function), node, profile.add_block(hot_cold_memory_fields, cold)});
  auto summary = summary_of(profile);
  EXPECT_EQ(summary.contexts, 2);
  EXPECT_EQ(summary.cold, 1);
  EXPECT_EQ(summary.largest_cold, 64);
  EXPECT_EQ(summary.largest_warm, 8);
}

}  // namespace
}  // namespace pgokit::instr_profile
