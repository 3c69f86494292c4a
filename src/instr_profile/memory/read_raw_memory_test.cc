#include "instr_profile/memory/read_raw_memory.h"

#include <gmock/gmock.h>

#include "test/support/memory_builder.h"

namespace pgokit::instr_profile {
namespace {

using test::MemoryDump;
using test::raw_memory;
using testing::ElementsAre;
using testing::HasSubstr;
namespace field = memory_field_number;

MemoryDump one_stack(u64 version) {
  MemoryDump dump{.version = version};
  dump.segments = {{0x1000, 0x2000, "0123456789"}};
  dump.blocks = {{.stack = 7, .fields = {3, 20, 5, 9, 300, 90, 110}, .histogram = {}}};
  dump.stacks = {{7, {0x1100, 0x1200}}};
  return dump;
}

std::string error_of(const std::string& file) {
  auto raw = read_raw_memory(as_bytes(file));
  return raw ? "" : raw.error().message;
}

TEST(RawMemory, WhatIsCutShortOrDamagedIsSaid) {
  auto whole = raw_memory(one_stack(5));
  EXPECT_EQ(error_of(whole), "");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(error_of(whole.substr(0, size)), "") << size;
  EXPECT_THAT(error_of(whole + "more"), HasSubstr("truncated"));
  auto other = whole;
  other[8] = 9;
  EXPECT_THAT(error_of(other), HasSubstr("version 9, known are 3 to 5"));
  other = whole;
  other[16] = 1;  // the size of the dump
  other[17] = 0;
  EXPECT_THAT(error_of(other), HasSubstr("malformed"));
  auto dump = one_stack(5);
  dump.segments[0].build_id.resize(33);
  EXPECT_THAT(error_of(raw_memory(dump)), HasSubstr("a build id of 33 bytes"));
}

TEST(RawMemory, NumbersOfListsAreNotTrusted) {
  auto file = raw_memory(one_stack(5));
  size_t lists[] = {48, 48 + 8 + 64, file.size() - 40};
  for (size_t at : lists) {
    auto other = file;
    other.replace(at, 8, std::string(8, '\x7f'));
    EXPECT_NE(error_of(other), "") << at;
  }
}

TEST(RawMemory, AllVersionsSayTheSame) {
  for (u64 version : {3, 4, 5}) {
    auto file = raw_memory(one_stack(version));
    auto raw = read_raw_memory(as_bytes(file));
    ASSERT_TRUE(raw) << raw.error().message;
    EXPECT_EQ(raw->version, version);
    EXPECT_EQ(raw->segments[0].build_id, "0123456789");
    ASSERT_EQ(raw->blocks.size(), 1);
    EXPECT_EQ(raw->blocks[0].fields[field::count - 1], 3);
    EXPECT_EQ(raw->blocks[0].fields[field::largest_size - 1], 110);
    EXPECT_EQ(raw->blocks[0].fields.back(), 0);
    EXPECT_THAT(raw->stacks[0].places, ElementsAre(0x1100, 0x1200));
  }
}

TEST(RawMemory, HistogramsOfVersionFiveArePacked) {
  auto dump = one_stack(4);
  dump.blocks[0].histogram = {1, 4096};
  auto file = raw_memory(dump);
  EXPECT_THAT(read_raw_memory(as_bytes(file))->blocks[0].histogram, ElementsAre(1, 4096));
  dump.version = 5;
  dump.blocks[0].histogram = {1, 0xfff, 0x1800, 0xffff};
  file = raw_memory(dump);
  EXPECT_THAT(read_raw_memory(as_bytes(file))->blocks[0].histogram,
              ElementsAre(1, 4095, 4096, 4095 << 15));
}

TEST(RawMemory, DumpsOfOneFileAreAddedUp) {
  auto first = one_stack(5), second = one_stack(5);
  first.blocks[0].fields[field::freed - 1] = 50;
  second.blocks[0].fields[field::allocated - 1] = 40;
  second.blocks[0].fields[field::freed - 1] = 60;
  second.blocks[0].fields[field::least_accesses - 1] = 4;
  second.blocks.push_back({.stack = 8, .fields = {1}, .histogram = {}});
  second.stacks.push_back({8, {0x1300}});
  auto file = raw_memory(first) + raw_memory(second);
  auto raw = read_raw_memory(as_bytes(file));
  ASSERT_TRUE(raw) << raw.error().message;
  ASSERT_EQ(raw->blocks.size(), 2);
  auto of_first = [&](u32 number) { return raw->blocks[0].fields[number - 1]; };
  EXPECT_EQ(of_first(field::count), 6);
  EXPECT_EQ(of_first(field::least_accesses), 4);
  EXPECT_EQ(of_first(field::most_accesses), 9);
  EXPECT_EQ(of_first(field::overlapping), 1);
  EXPECT_EQ(of_first(field::same_allocating_cpu), 1);
  EXPECT_EQ(of_first(field::freed), 60);
  EXPECT_EQ(raw->stacks.size(), 2);
}

TEST(RawMemory, DumpsThatDifferAreRefused) {
  auto first = one_stack(5), second = one_stack(5);
  second.segments[0].start = 0x3000;
  EXPECT_THAT(error_of(raw_memory(first) + raw_memory(second)), HasSubstr("segment information"));
  second = one_stack(5);
  second.stacks[0].places.pop_back();
  EXPECT_THAT(error_of(raw_memory(first) + raw_memory(second)), HasSubstr("different call stack"));
}

}  // namespace
}  // namespace pgokit::instr_profile
