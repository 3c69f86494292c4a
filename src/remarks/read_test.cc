#include "remarks/read.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "remarks/yaml_scalar.h"

namespace pgokit::remarks {
namespace {

using testing::HasSubstr;

std::string message_of(std::string_view text) {
  auto status = each_remark(as_bytes(text), [](const Remark&) {});
  return status ? "" : status.error().message;
}

TEST(Remarks, YamlHasEveryFormOfText) {
  constexpr std::string_view text = R"(--- !Analysis
Pass:            sample-profile
Name:            AppliedSamples
DebugLoc:        { File: 'a, b.c', 
                   Line: 3, Column: 7 }
Function:        "f\xC3\u20AC\t"
Hotness:         18446744073709551615
Args:
  - String:          'it''s '
  - Text:            |
      two
        lines
    DebugLoc:        { File: a.c, Line: 1, Column: 0 }
  - Number:          '7'
...
--- !Passed
Pass: inline
Name: Inlined
Function: g
...
)";
  std::vector<std::string> seen;
  auto status = each_remark(as_bytes(text), [&](const Remark& remark) {
    seen.emplace_back(remark.function);
    if (remark.kind != Kind::analysis) return;
    EXPECT_EQ(remark.pass, "sample-profile");
    EXPECT_EQ(remark.at, (SourceLocation{"a, b.c", 3, 7}));
    EXPECT_EQ(remark.hotness, ~u64{0});
    ASSERT_EQ(remark.arguments.size(), 3u);
    EXPECT_EQ(remark.arguments[0].value, "it's ");
    EXPECT_EQ(remark.arguments[1].value, "two\n  lines\n");
    EXPECT_EQ(remark.arguments[1].at, (SourceLocation{"a.c", 1, 0}));
    EXPECT_EQ(remark.argument("Number"), "7");
    EXPECT_EQ(remark.argument("None"), "");
  });
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_THAT(seen, testing::ElementsAre("f\xc3\x83\xe2\x82\xac\t", "g"));
}

TEST(Remarks, AnEmptyFileHasNone) { EXPECT_EQ(message_of(""), ""); }

TEST(Remarks, DamagedYamlIsNamedByItsLine) {
  EXPECT_THAT(message_of("no remarks"), HasSubstr("-fsave-optimization-record"));
  EXPECT_THAT(message_of("--- !Other\n"), HasSubstr("line 1: an unknown kind"));
  EXPECT_THAT(message_of("--- !Passed\nPass: a\nName: b\n...\n"), HasSubstr("lacks"));
  EXPECT_THAT(message_of("--- !Passed\nPass: 'a\n"), HasSubstr("line 2: a quoted text"));
  EXPECT_THAT(message_of("--- !Passed\nPass: \"\\q\"\n"), HasSubstr("line 2: a quoted text"));
  EXPECT_THAT(message_of("--- !Passed\nHotness: x\n"), HasSubstr("line 2: the hotness"));
  EXPECT_THAT(message_of("--- !Passed\nDebugLoc: { File: a\n...\n"), HasSubstr("does not end"));
  EXPECT_THAT(message_of("--- !Passed\nDebugLoc: { Line: x }\n"), HasSubstr("location"));
  EXPECT_THAT(message_of("--- !Passed\nArgs:\n    DebugLoc: { }\n"), HasSubstr("line 3"));
}

TEST(Remarks, ADamagedBitstreamIsRefused) {
  EXPECT_THAT(message_of("RMRK"), "");
  EXPECT_THAT(message_of("RMRKx"), HasSubstr("damaged"));
  // A block that is longer than the file.
  EXPECT_THAT(message_of(std::string_view("RMRK\x01\x24\0\0\xff\0\0\0", 12)), HasSubstr("damaged"));
}

TEST(Remarks, FilesAreKnownByTheirNames) {
  EXPECT_TRUE(is_remarks_name("a.opt.yaml"));
  EXPECT_TRUE(is_remarks_name("a.opt.bitstream"));
  EXPECT_TRUE(is_remarks_name("a.out.opt.ld.yaml"));
  EXPECT_TRUE(is_remarks_name("a.out-opt.ld.yaml"));
  EXPECT_TRUE(is_remarks_name("a.out-opt.ld.yaml.thin.1.yaml"));
  EXPECT_FALSE(is_remarks_name("a-opt.yaml"));
  EXPECT_TRUE(is_remarks_name("a.out.opt.ld.yaml.thin.1.yaml"));
  EXPECT_FALSE(is_remarks_name("a.yaml"));
  EXPECT_FALSE(is_remarks_name("a.opt.txt"));
}

}  // namespace
}  // namespace pgokit::remarks
