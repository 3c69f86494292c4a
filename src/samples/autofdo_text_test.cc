#include "samples/autofdo_text.h"

#include <gmock/gmock.h>

#include "samples/raw_profile.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::samples {
namespace {

using testing::HasSubstr;

constexpr std::string_view of_simpleperf =
    "// Please split this file. AutoFDO only accepts profile for one binary.\n"
    "2\n860-871:193\n876-881:196\n0\n2\n871->780:198\n881->0:3\n"
    "// build_id: 0x3f010000\n// /system/bin/tool\n\n"
    "1\n1000-1004:7\n1\n1000:2\n1\n1004->1000:6\n// build_id: 0xaa\n// /system/lib64/libc.so\n";

TEST(AutofdoText, IsToldFromRawProfiles) {
  for (std::string_view text :
       {"1\n10-20:3\n0\n1\n20->10:3\n", "0\n0\n1\n20->10:3\n", "1\n10-20:3\n1\n10:3\n0\n",
        "1\n10-20:3\n0\n0\n// build_id: 0x1\n", "0\n0\n0\n", "// x\n1\n10-20:3\n0\n0\n"})
    EXPECT_TRUE(looks_like_autofdo_text(text)) << text;
  for (std::string_view text :
       {"1\n10-20:3\n1\n20->10:3\n", "1\n10-20:3\n0\n", "0\n0\n", "1\n10-20:3\n0\n1\n10-20:3\n0\n",
        "", "main:1:1\n", "// x\n", "18446744073709551615\n10-20:3\n", "[main]\n0\n0\n0\n"})
    EXPECT_FALSE(looks_like_autofdo_text(text)) << text;
  EXPECT_TRUE(looks_like_autofdo_text(of_simpleperf));
}

TEST(AutofdoText, HasTheCountsOfItsPrograms) {
  auto all = read_autofdo_text(of_simpleperf);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  Counts tool{{{{0x860}, {0x871}, 193}, {{0x876}, {0x881}, 196}},
              {{{0x871}, {0x780}, 198}, {{0x881}, external, 3}}};
  EXPECT_EQ((*all)[0].counts, tool);
  EXPECT_EQ((*all)[1].path, "/system/lib64/libc.so");
  EXPECT_EQ((*all)[1].addresses, 1u);
  EXPECT_EQ(autofdo_counts_of(*all, "tool", "3f01", false), tool) << "filled up with zeros";
  EXPECT_EQ(autofdo_counts_of(*all, "renamed", "3f01", false), tool);
  EXPECT_EQ(autofdo_counts_of(*all, "tool", "", false), tool);
  EXPECT_EQ(autofdo_counts_of(*all, "tool", "bb", true), tool);
  EXPECT_THAT(autofdo_counts_of(*all, "tool", "bb", false).error().message,
              HasSubstr("another build of tool: build id 3f010000"));
  EXPECT_EQ(autofdo_counts_of(*all, "other", "bb", false).error().message,
            "has no counts of other, but of /system/bin/tool, /system/lib64/libc.so");
  all->pop_back();
  EXPECT_EQ(autofdo_counts_of(*all, "renamed", "", false), tool);
}

TEST(AutofdoText, IsARawProfileWithAddresses) {
  auto text = read_autofdo_text("1\n60-71:5\n0\n1\n71->60:4\n");
  auto raw = read_raw_profile("1\n60-71:5\n1\n71->60:4\n", BinaryAddr{0});
  ASSERT_TRUE(text && raw);
  EXPECT_EQ(autofdo_counts_of(*text, "a", "", false), *raw);
}

// A program whose code is at offset 0x1000 of its file, and at other distances from its first
// segment. The call of main and the return of leaf.
class AutofdoOffsetsTest : public testing::TestWithParam<std::pair<u64, u64>> {
 protected:
  program::Program open(u64 first, u64 text) const {
    dir_.write("tiny", test::ElfBuilder()
                           .type(ET_DYN)
                           .segment(PF_R, 0, first, 0x1000)
                           .segment(PF_R | PF_X, 0x1000, text, 0x1000)
                           .section(".text", test::tiny_code(),
                                    {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = text})
                           .symbol("main", text, 13, 1)
                           .symbol("leaf", text + 0x10, 2, 1)
                           .image());
    return *program::Program::open(fmt::format("{}/tiny", dir_.path()), {});
  }
  static Counts counts(u64 main) {
    return {{{{main + 0x10}, {main + 0x11}, 5}},
            {{{main + 0x7}, {main + 0x10}, 5}, {{main + 0x11}, external, 5}}};
  }

  test::ScratchDir dir_;
};

TEST_P(AutofdoOffsetsTest, AreFromTheFirstSegmentOrInTheFile) {
  auto [first, text] = GetParam();
  auto program = open(first, text);
  EXPECT_EQ(placed_autofdo_counts(counts(text - first), program), counts(text));
  EXPECT_EQ(placed_autofdo_counts(counts(0x1000), program), counts(text));
}

INSTANTIATE_TEST_SUITE_P(Layouts, AutofdoOffsetsTest,
                         testing::Values(std::pair(0x0, 0x1000), std::pair(0x0, 0x2000),
                                         std::pair(0x200000, 0x201000),
                                         std::pair(0x200000, 0x203000)));

TEST(AutofdoText, DamageNamesTheLine) {
  auto message = [](std::string_view text) {
    auto all = read_autofdo_text(text);
    return all ? autofdo_counts_of(*all, "a", "", false).error().message : all.error().message;
  };
  EXPECT_THAT(message("0\n2\n10:3\n20\n0\n"), HasSubstr("at line 4: 20"));
  EXPECT_THAT(message("0\n1\n10:3\n"), HasSubstr("Invalid raw profile!"));
  EXPECT_THAT(message("// only words\n"), HasSubstr("Invalid raw profile!"));
  EXPECT_THAT(message("0\n1\n10:3\n0\n"), HasSubstr("sampled addresses only"));
  EXPECT_THAT(message("0\n18446744073709551615\n10:3\n"), HasSubstr("Invalid raw profile!"));
}

}  // namespace
}  // namespace pgokit::samples
