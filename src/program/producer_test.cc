#include "program/producer.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "base/file.h"
#include "test/support/elf_builder.h"
#include "test/support/shell.h"

namespace pgokit::program {
namespace {

using namespace std::string_literals;

std::string producer_in(const std::string& comment) {
  auto image = test::ElfBuilder().section(".comment", comment).image();
  auto file = object::File::parse(as_bytes(image));
  return file ? producer_of(*file, nullptr) : "no file";
}

TEST(Producer, IsTheCompilerNotTheStartUpFilesOrTheLinker) {
  EXPECT_EQ(producer_in("GCC: (Debian 12.2.0-14) 12.2.0\0clang version 22.1.8\0"s),
            "clang version 22.1.8");
  EXPECT_EQ(producer_in("Linker: LLD 22, clang version 22\0GCC: (GNU) 13.1.0\0"s),
            "GCC: (GNU) 13.1.0");
  EXPECT_EQ(producer_in("clang version 20.1\0rustc version 1.95.0 (5980)\0"s),
            "rustc version 1.95.0 (5980)");
}

TEST(Producer, IsNotMadeUp) {
  EXPECT_EQ(producer_in(""), "");
  EXPECT_EQ(producer_in("Linker: LLD 22\0"s), "");
  EXPECT_EQ(producer_in("GCC: never ended"), "");
}

TEST(Producer, KnowsTheLanguageOfUnitsAndSymbols) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  dir.write("c.c", "int one(int x) { return x + 1; }");
  dir.write("plain.cc", "extern \"C\" int two(int x) { return x + 2; }");
  dir.write("mangled.cc", "int three(int x) { return x + 3; }");
  struct Case {
    const char* command;
    bool expected;
  };
  for (auto [command, expected] : {Case{"clang-22 -g -shared -fPIC -nostdlib c.c", false},
                                   Case{"clang-22 -g -shared -fPIC -nostdlib c.c plain.cc", true},
                                   Case{"clang-22 -shared -fPIC -nostdlib c.c", false},
                                   Case{"clang-22 -shared -fPIC -nostdlib c.c mangled.cc", true}}) {
    auto made = test::run(fmt::format("cd {} && {} -o all.so 2>&1", dir.path(), command));
    ASSERT_EQ(made.status, 0) << made.output;
    auto image = MappedFile::open(dir.file("all.so"));
    ASSERT_TRUE(image);
    auto file = object::File::parse(image->bytes());
    ASSERT_TRUE(file);
    auto debug = dwarf::DebugInfo::load(*file, {});
    EXPECT_EQ(has_cplusplus(*file, debug ? &*debug : nullptr), expected) << command;
  }
}

// A unit of assembly code in front, two of clang behind it.
TEST(Producer, IsThatOfMostUnits) {
  if (!test::has_program("clang-22") || !test::has_program("gcc"))
    GTEST_SKIP() << "clang-22 or gcc is not installed";
  test::ScratchDir dir;
  dir.write("start.s", ".globl start\nstart: ret\n");
  dir.write("one.c", "int one(int x) { return x + 1; }");
  dir.write("two.c", "int two(int x) { return x + 2; }");
  auto made =
      test::run(fmt::format("cd {} && gcc -g -c start.s && clang-22 -g -c one.c two.c && "
                            "gcc -nostdlib -shared start.o one.o two.o -o all.so 2>&1",
                            dir.path()));
  ASSERT_EQ(made.status, 0) << made.output;
  auto image = MappedFile::open(dir.file("all.so"));
  ASSERT_TRUE(image);
  auto file = object::File::parse(image->bytes());
  ASSERT_TRUE(file);
  auto debug = dwarf::DebugInfo::load(*file, {});
  ASSERT_TRUE(debug);
  EXPECT_NE(producer_of(*file, &*debug).find("clang version 22"), std::string::npos);
}

}  // namespace
}  // namespace pgokit::program
