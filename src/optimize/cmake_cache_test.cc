#include "optimize/cmake_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "test/support/shell.h"

namespace pgokit::optimize {
namespace {

TEST(CmakeCache, TellsTheCompilerOfTheFolderThatIsBuilt) {
  test::ScratchDir dir;
  dir.write("CMakeCache.txt",
            "# of a build\nCMAKE_C_COMPILER-ADVANCED:INTERNAL=1\n"
            "CMAKE_CXX_COMPILER:FILEPATH=/usr/bin/c++\nCMAKE_C_COMPILER:STRING=cc");
  for (auto build : {"cmake --build {} -j2", "cmake -B{} && make", "ninja -C '{}'"}) {
    auto found = configured_compiler(fmt::format(fmt::runtime(build), dir.path()));
    ASSERT_TRUE(found.has_value()) << build;
    EXPECT_EQ(found->cache, dir.file("CMakeCache.txt"));
    EXPECT_EQ(found->compiler, "cc");
  }
}

TEST(CmakeCache, KnowsNothingOfOtherBuilds) {
  test::ScratchDir dir;
  auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  EXPECT_FALSE(configured_compiler("make").has_value());
  EXPECT_FALSE(configured_compiler("make 'x").has_value());
  dir.write("CMakeCache.txt", "CMAKE_C_COMPILER");
  EXPECT_FALSE(configured_compiler("cmake --build " + dir.path()).has_value());
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace pgokit::optimize
