#include "samples/autofdo_text.h"

#include <gmock/gmock.h>

#include "samples/raw_profile.h"

namespace pgokit::samples {
namespace {

using testing::HasSubstr;

constexpr BinaryAddr base{0x200000};
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
  auto all = read_autofdo_text(of_simpleperf, base);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  Counts tool{{{{0x200860}, {0x200871}, 193}, {{0x200876}, {0x200881}, 196}},
              {{{0x200871}, {0x200780}, 198}, {{0x200881}, external, 3}}};
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
  auto text = read_autofdo_text("1\n60-71:5\n0\n1\n71->60:4\n", base);
  auto raw = read_raw_profile("1\n60-71:5\n1\n71->60:4\n", base);
  ASSERT_TRUE(text && raw);
  EXPECT_EQ(autofdo_counts_of(*text, "a", "", false), *raw);
}

TEST(AutofdoText, DamageNamesTheLine) {
  auto message = [](std::string_view text) {
    auto all = read_autofdo_text(text, base);
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
