#include "samples/program_match.h"

#include <gtest/gtest.h>

#include "base/cursor.h"

namespace pgokit::samples {
namespace {

using Verdict = ProgramMatch::Verdict;

TEST(ProgramMatch, BuildIdsAreEqualUpToPadding) {
  EXPECT_TRUE(
      same_build_id(as_bytes("12345678"), as_bytes(std::string_view("12345678\0\0\0\0", 12))));
  EXPECT_FALSE(same_build_id(as_bytes("12345678"), as_bytes("123456789")));
  EXPECT_FALSE(same_build_id(as_bytes("12345678"), as_bytes("12345679")));
  EXPECT_FALSE(same_build_id({}, as_bytes(std::string_view("\0\0\0\0", 4))));
}

TEST(ProgramMatch, FileNames) {
  EXPECT_EQ(file_name("/usr/bin/app"), "app");
  EXPECT_EQ(file_name("/tmp/app (deleted)"), "app");
  EXPECT_EQ(file_name("app"), "app");
}

TEST(ProgramMatch, ByBuildIdThenByName) {
  std::vector<perf::BuildId> listed{{.id = as_bytes("listedid"), .path = "/bin/listed"}};
  ProgramMatch app("app", as_bytes("original"), listed);
  auto mapping = [](std::string_view path, std::string_view id) {
    perf::Mapping m;
    m.path = path;
    m.build_id = as_bytes(id);
    return m;
  };
  EXPECT_EQ(app(mapping("/bin/app", "original")), Verdict::program);
  EXPECT_EQ(app(mapping("/bin/renamed", "original")), Verdict::program);
  EXPECT_EQ(app(mapping("/bin/app", "another!")), Verdict::other_build);
  EXPECT_EQ(app(mapping("/bin/other", "another!")), Verdict::other_program);
  EXPECT_EQ(app(mapping("/bin/app", "")), Verdict::program);
  EXPECT_EQ(app(mapping("/bin/other", "")), Verdict::other_program);
  EXPECT_EQ(ProgramMatch("listed", as_bytes("original"), listed)(mapping("/bin/listed", "")),
            Verdict::other_build);
  EXPECT_EQ(ProgramMatch("app", {}, listed)(mapping("/bin/app", "another!")), Verdict::program);
}

TEST(ProgramMatch, TheKernelIsKnownByItsMapping) {
  std::vector<perf::BuildId> listed{{.id = as_bytes("kernelid"), .path = "[kernel.kallsyms]"},
                                    {.id = as_bytes("moduleid"), .path = "/lib/x.ko"}};
  perf::Mapping text, module;
  text.path = "[kernel.kallsyms]_stext";
  module.path = "[x]";
  for (auto [id, expected] : {std::pair("kernelid", Verdict::program),
                              {"another!", Verdict::other_build},
                              {"", Verdict::program}}) {
    ProgramMatch kernel("vmlinux", as_bytes(std::string_view(id)), listed, true);
    EXPECT_EQ(kernel(text), expected) << id;
    EXPECT_EQ(kernel(module), Verdict::other_program);
  }
  EXPECT_EQ(ProgramMatch("x.ko", as_bytes("moduleid"), listed)(module), Verdict::program);
}

}  // namespace
}  // namespace pgokit::samples
