#include "optimize/clean_command.h"

#include <gtest/gtest.h>

namespace pgokit::optimize {
namespace {

TEST(CleanCommand, IsThatOfTheBuildTool) {
  EXPECT_EQ(clean_command_of("make"), "make clean");
  EXPECT_EQ(clean_command_of("make -j4 -C src all V=1"), "make -C src clean");
  EXPECT_EQ(clean_command_of("CC=clang-22 make -f Other.mk"), "make -f Other.mk clean");
  EXPECT_EQ(clean_command_of("./configure --quiet && make -j2"), "make clean");
  EXPECT_EQ(clean_command_of("cd src; make lua"), "cd src && make clean");
  EXPECT_EQ(clean_command_of("cmake -B b -S . && cmake --build b -j2"),
            "cmake --build b --target clean");
  EXPECT_EQ(clean_command_of("ninja -C out all"), "ninja -C out -t clean");
  EXPECT_EQ(clean_command_of("meson setup b && meson compile -C b"), "meson compile -C b --clean");
  EXPECT_EQ(clean_command_of("make CC=\"$CC\" -j2"), "make clean");
}

TEST(CleanCommand, IsNotGuessedOfOthers) {
  EXPECT_EQ(clean_command_of(""), "");
  EXPECT_EQ(clean_command_of("sh build.sh"), "");
  EXPECT_EQ(clean_command_of("clang -O2 make.c -o make"), "");
  EXPECT_EQ(clean_command_of("make -C \"my folder\""), "");
  EXPECT_EQ(clean_command_of("cd \"$HOME/x\" && make"), "");
  EXPECT_EQ(clean_command_of("cmake -B b"), "");
}

}  // namespace
}  // namespace pgokit::optimize
