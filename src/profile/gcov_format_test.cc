#include "profile/gcov_format.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "base/file.h"
#include "profile/format.h"
#include "profile/losses.h"
#include "test/support/shell.h"

namespace pgokit::profile {
namespace {

using testing::HasSubstr;

constexpr std::string_view sample =
    "main:210:3\n"
    " 1: 100 foo:60 bar:40\n"
    " 2.7: 10\n"
    " 3: foo:100\n"
    "  1: 90\n"
    "  2: bar:10\n"
    "   5: 10\n"
    "bar:5:2\n"
    " 1: 5\n";

constexpr size_t size_of_working_set = 8 + gcov_working_sets * 12;

std::string error_of(std::string_view bytes) {
  auto read = read_profile(as_bytes(bytes));
  return read ? "no error" : read.error().message;
}

std::string gcov_of(std::string_view text, u32 version = 2) {
  auto read = read_profile(as_bytes(text));
  EXPECT_TRUE(read.has_value());
  return write_gcov(read->profile, {.gcov_version = version}).value();
}

TEST(Gcov, GoesThereAndBack) {
  for (u32 version : {1u, 2u, 3u, gcov_version_407}) {
    auto bytes = gcov_of(sample, version);
    auto read = read_profile(as_bytes(bytes));
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->format, Format::gcov);
    EXPECT_EQ(write_text(read->profile), sample);
    EXPECT_EQ(*write_gcov(read->profile, {.gcov_version = version}), bytes);
  }
  EXPECT_EQ(gcov_of(sample, 1).size() % 4, 0);
}

TEST(Gcov, SaysWhereItIsWrong) {
  auto bytes = gcov_of(sample, 1);
  EXPECT_THAT(error_of(bytes.substr(0, 14)), HasSubstr("section 'names' (offset 0xc): ends early"));
  EXPECT_THAT(error_of(bytes.substr(0, bytes.size() - size_of_working_set - 40)),
              HasSubstr("section 'functions' (offset 0x"));
  auto other = bytes;
  other[12] = 1;
  EXPECT_THAT(error_of(other), HasSubstr("tag 0xaa000001 where 0xaa000000 is wanted"));
  other = bytes;
  other[4] = 9;
  EXPECT_THAT(error_of(other), HasSubstr("is no sample profile"));
}

TEST(Gcov, SaysWhereASummaryIsWrong) {
  auto bytes = gcov_of(sample, 3);
  for (size_t size : {13u, 60u, 70u, 200u})
    EXPECT_THAT(error_of(bytes.substr(0, size)),
                HasSubstr("section 'summary' (offset 0xc): ends early"));
  auto other = bytes;
  other[12] = 1;
  EXPECT_THAT(error_of(other), HasSubstr("tag 0xa8000001 where 0xa8000000 is wanted"));
  other = bytes;
  other[12 + 4 + 5 * 8 + 7] = 1;  // 2^56 cutoffs
  EXPECT_THAT(error_of(other), HasSubstr("section 'summary' (offset 0xc): ends early"));
}

// What AutoFDO's tools look for behind the functions: 128 shares of the counts.
TEST(Gcov, EndsWithTheWorkingSet) {
  auto bytes = gcov_of("main:129:1\n 1: 100\n 2: 20\n 3: 9\n", 2);
  Cursor in(as_bytes(bytes).last(size_of_working_set));
  EXPECT_EQ(in.get<u32>(), gcov_working_set);
  EXPECT_EQ(in.get<u32>(), 3 * gcov_working_sets);
  for (u64 i = 1; i <= gcov_working_sets; ++i) {
    u32 counts = i <= 100 ? 1 : i <= 120 ? 2 : 3;
    EXPECT_EQ(in.get<u32>(), counts) << i;
    EXPECT_EQ(in.get<u64>(), counts == 1 ? 100 : counts == 2 ? 20 : 9) << i;
  }
}

// The names of version 3 have files: two functions of one name are two.
TEST(Gcov, AddsUpFunctionsOfOneNameInSeveralFiles) {
  auto bytes = gcov_of("a:5:1\n 1: 5\nb:7:2\n 1: 7\n", 3);
  size_t name = bytes.find(std::string_view("b\0", 2));
  ASSERT_NE(name, bytes.npos);
  bytes[name] = 'a';
  auto read = read_profile(as_bytes(bytes));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(write_text(read->profile), "a:12:3\n 1: 12\n");
}

TEST(Gcov, SaysWhatItCannotHold) {
  Profile far;
  NameId f = far.names.intern("f");
  far.function(f).add_body({70000, 0}, 1);
  far.function(f).add_body({1, 0}, 1);
  far.sort();
  EXPECT_THAT(losses(far, Format::gcov, {}), testing::ElementsAre(HasSubstr("1 place is left")));
  auto read = read_profile(as_bytes(write_gcov(far).value()));
  EXPECT_EQ(read->profile.functions()[0].samples.body.size(), 1);
  far.flags.probe_based = true;
  EXPECT_FALSE(write_gcov(far));
  EXPECT_FALSE(write_gcov(Profile{}, {.gcov_version = 4}));
}

TEST(Gcov, IsWhatLlvmProfdataReads) {
  if (!test::has_program("llvm-profdata-22")) GTEST_SKIP() << "no llvm-profdata-22";
  test::ScratchDir folder;
  folder.write("in", gcov_of(sample, gcov_version_407));
  auto [status, text] =
      test::run("llvm-profdata-22 merge --sample --text -o - " + folder.file("in"));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text, sample);
}

TEST(Gcov, IsWhatGccReads) {
  if (!test::has_program("gcc-12")) GTEST_SKIP() << "no gcc-12";
  test::ScratchDir folder;
  folder.write("t.c",
               "int work(int x) { int s = 0;\n for (int i = 0; i < x; ++i)\n  s += i ^ x;\n"
               " return s; }\n");
  folder.write("in", gcov_of("work:200000:10\n 1: 100000\n 2: 100000\n"));
  auto [status, text] = test::run(fmt::format(
      "cd {} && gcc-12 -O2 -g -fauto-profile=in -S t.c -o - -fdump-tree-optimized=dump && "
      "grep '^;; Function work' dump",
      folder.file("")));
  EXPECT_EQ(status, 0) << text;
  EXPECT_THAT(text, HasSubstr("(hot)"));
}

}  // namespace
}  // namespace pgokit::profile
