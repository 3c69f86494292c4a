#include "program/named_paths.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "program/program.h"
#include "test/support/shell.h"

namespace pgokit::program {
namespace {

constexpr std::string_view source =
    "static __attribute__((noinline)) int own(int x) { return x * x; }\n"
    "int _start(int x) { return own(x); }\n";

std::string path_of(const test::ScratchDir& dir, std::string_view file, std::string_view options) {
  auto made =
      test::run(fmt::format("cd {} && clang-22 -O1 -g -funique-internal-linkage-names -nostdlib "
                            "-static -ffreestanding {} {} -o app 2>&1",
                            dir.path(), options, file));
  if (made.status != 0) return made.output;
  auto program = Program::open(dir.file("app"), {});
  if (!program || !program->load_functions(1)) return "no program";
  auto paths = named_paths(*program);
  return fmt::format("{}:{}", paths.absolute, fmt::join(paths.taken_off, ","));
}

TEST(NamedPaths, AnAbsoluteOneIsTold) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  dir.write("own.c", source);
  EXPECT_EQ(path_of(dir, "own.c", ""), ":");
  EXPECT_EQ(path_of(dir, dir.file("own.c"), ""), dir.file("own.c") + ":");
}

TEST(NamedPaths, AWholePathIsNoEndOfAnother) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  ASSERT_TRUE(std::filesystem::create_directory(dir.file("more")));
  dir.write("more/own.c", "int other(int x) { return x + 1; }\n");
  dir.write("own.c", source);
  EXPECT_EQ(path_of(dir, "more/own.c own.c", ""), ":");
  EXPECT_EQ(path_of(dir, "own.c more/own.c", ""), ":");
}

TEST(NamedPaths, WhatWasTakenOffIsToldOfAnyWay) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  dir.write("own.c", source);
  auto map = fmt::format("-fmacro-prefix-map={}/= -fmacro-prefix-map=../=", dir.path());
  EXPECT_EQ(path_of(dir, dir.file("own.c"), map), fmt::format(":{}/", dir.path()));
  auto folder = std::filesystem::path(dir.path()).filename().string();
  EXPECT_EQ(path_of(dir, "../" + folder + "/own.c", map), ":../");
  EXPECT_EQ(path_of(dir, "own.c", map), ":");
}

}  // namespace
}  // namespace pgokit::program
