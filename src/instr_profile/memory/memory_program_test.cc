#include "instr_profile/memory/memory_program.h"

#include <gmock/gmock.h>

#include "base/function_name.h"
#include "test/support/elf_builder.h"
#include "test/support/memory_builder.h"
#include "test/support/shell.h"

namespace pgokit::instr_profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const std::string& path) {
  auto program = MemoryProgram::open(path);
  return program ? "" : program.error().message;
}

TEST(MemoryProgram, SaysWhatItCannotUse) {
  test::ScratchDir dir;
  dir.write("text", "no program");
  dir.write("tiny", test::ElfBuilder().image());
  EXPECT_THAT(error_of(dir.file("missing")), HasSubstr("missing"));
  EXPECT_THAT(error_of(dir.file("text")), HasSubstr("text"));
  EXPECT_THAT(error_of(dir.file("tiny")), HasSubstr("--build-id"));
}

class SymbolizedMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
    dir_.write("a.c",
               "volatile int sink;\n"
               "static inline __attribute__((always_inline)) int inner(int x) {\n"
               "  sink = x;\n"
               "  return x;\n"
               "}\n"
               "__attribute__((noinline)) int outer(int x) {\n"
               "  return inner(x) + 1;\n"
               "}\n"
               "int _start(int x) { return outer(x); }\n");
    auto made = test::run(fmt::format(
        "cd {} && clang-22 --target=x86_64-linux-gnu -O1 -g -Wl,--build-id -fno-pie -ffreestanding "
        "-nostdlib -static -fuse-ld=lld-22 a.c -o app 2>&1",
        dir_.path()));
    ASSERT_EQ(made.status, 0) << made.output;
    auto image = MappedFile::open(dir_.file("app"));
    ASSERT_TRUE(image);
    auto file = object::File::parse(image->bytes());
    ASSERT_TRUE(file);
    test::MemoryDump::Segment loaded{0, ~u64{0}, std::string(as_text(file->build_id()))};
    for (const auto& segment : file->segments())
      if (segment.executable) loaded.start = segment.address;
    dump_.segments = {loaded};
    auto debug = dwarf::DebugInfo::load(*file, {});
    ASSERT_TRUE(debug);
    dwarf::FrameCursor cursor(*debug);
    for (const auto& range : debug->functions())
      for (u64 at = range.begin; at < range.end; ++at)
        if (cursor.at(at).frames.size() == 2 && cursor.at(at).frames[0].function == "outer")
          place_ = at;
    ASSERT_NE(place_, 0);
    dump_.blocks = {{.stack = 1, .fields = {4, 5}, .histogram = {}}};
    dump_.stacks = {{1, {place_, 0x10}}};  // the second has no debug information
  }
  Result<MemoryProfile> profile() {
    auto program = TRY(MemoryProgram::open(dir_.file("app")));
    file_ = test::raw_memory(dump_);
    return program.profile_of(TRY(read_raw_memory(as_bytes(file_))), true);
  }

  test::ScratchDir dir_;
  u64 place_ = 0;
  test::MemoryDump dump_;
  std::string file_;
};

TEST_F(SymbolizedMemory, AllocationsAreThoseOfAllInlinedFunctions) {
  auto made = profile();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->functions, ElementsAre(function_guid("inner"), function_guid("outer")));
  ASSERT_EQ(made->frames.size(), 2);
  EXPECT_EQ(made->frames[0], (MemoryFrame{function_guid("inner"), 1, 8, true}));
  EXPECT_EQ(made->frames[1], (MemoryFrame{function_guid("outer"), 1, 10, false}));
  ASSERT_EQ(made->allocs.size(), 2);
  EXPECT_EQ(made->value(made->allocs[1].block, memory_field_number::count), 4);
  ASSERT_EQ(made->call_sites.size(), 1);  // the frame that allocates is none
  EXPECT_EQ(made->functions[made->call_sites[0].record], function_guid("outer"));
  EXPECT_EQ(made->names[function_guid("outer")], "outer");
}

TEST_F(SymbolizedMemory, AnotherProgramIsRefused) {
  dump_.segments[0].build_id = "other";
  auto made = profile();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("No matching executable segments"));
}

TEST_F(SymbolizedMemory, WhatHasNoFramesIsNoProfile) {
  dump_.stacks[0].places = {0x10};
  auto made = profile();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("no entries in callstack map"));
}

TEST_F(SymbolizedMemory, AnAllocationWithoutAStackIsDamage) {
  dump_.blocks.push_back({.stack = 2, .fields = {}, .histogram = {}});
  auto made = profile();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("does not contain id: 2"));
}

}  // namespace
}  // namespace pgokit::instr_profile
