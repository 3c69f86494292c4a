#include "program/facts.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "test/support/shell.h"

namespace pgokit::program {
namespace {

using testing::HasSubstr;

// The names that its debug information leads to are only there after relocation.
TEST(ProgramFacts, ObjectsTellTheirCompiler) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  dir.write("a.c", "int f(int x) { return x + 1; }\n");
  for (const char* options : {"-gdwarf-4", "-gdwarf-5", "-gdwarf-5 --target=aarch64-linux-gnu"}) {
    auto made = test::run(fmt::format("cd {} && clang-22 --target=x86_64-linux-gnu {} -c a.c 2>&1",
                                      dir.path(), options));
    ASSERT_EQ(made.status, 0) << made.output;
    auto path = dir.file("a.o");
    auto image = MappedFile::open(path);
    ASSERT_TRUE(image);
    auto file = object::File::parse(image->bytes());
    ASSERT_TRUE(file) << file.error().message;
    auto facts = read_facts(path, *file);
    ASSERT_TRUE(facts) << facts.error().message;
    EXPECT_EQ(facts->kind, "relocatable object");
    EXPECT_THAT(facts->producer, HasSubstr("clang version")) << options;
    ASSERT_TRUE(facts->debug);
    EXPECT_EQ(facts->debug->broken_units, 0);
  }
}

// A program that needs no loader is one all the same.
TEST(ProgramFacts, TellProgramsFromLibraries) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  dir.write("a.c", "void _start(void) {}\n");
  auto kind_of = [&](const char* options) -> std::string {
    auto made = test::run(
        fmt::format("cd {} && clang-22 --target=x86_64-linux-gnu -fuse-ld=lld -fPIC -nostdlib {} "
                    "a.c -o made 2>&1",
                    dir.path(), options));
    if (made.status != 0) return made.output;
    auto image = MappedFile::open(dir.file("made"));
    if (!image) return image.error().message;
    auto file = object::File::parse(image->bytes());
    if (!file) return file.error().message;
    auto facts = read_facts(dir.file("made"), *file);
    return facts ? facts->kind : facts.error().message;
  };
  EXPECT_EQ(kind_of("-no-pie"), "program");
  EXPECT_EQ(kind_of("-pie"), "position-independent program");
  EXPECT_EQ(kind_of("-static-pie"), "position-independent program");
  EXPECT_EQ(kind_of("-shared"), "shared object");
}

}  // namespace
}  // namespace pgokit::program
