#include "base/printable.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

TEST(Printable, KeepsTextOfAllScripts) {
  for (const char* text : {"", "main", "two\nlines\tand a tab", "größer(µ)", "函数", "💥", "\\x1b"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("a\x1b[2Jb\a\r"), "a\\x1b[2Jb\\x07\\x0d");
  EXPECT_EQ(printable(std::string_view("nul\0del\x7f", 8)), "nul\\x00del\\x7f");
  EXPECT_EQ(printable("C1 as \xc2\x9b"
                      "31m"),
            "C1 as \\xc2\\x9b31m");
}

TEST(Printable, WithoutControlCharactersANameFitsInALine) {
  for (const char* name : {"", "main", "operator new", "größer(µ)", "\xff"})
    EXPECT_TRUE(fits_in_line(name)) << name;
  for (const char* name : {"two\nlines", "f\r", "\tf", "a\x1b[2J", "\x7f"})
    EXPECT_FALSE(fits_in_line(name)) << printable(name);
  EXPECT_FALSE(fits_in_line(std::string_view("a\0b", 3)));
}

TEST(Printable, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut off";
  EXPECT_EQ(printable("\xe2\x82(\xf0\x9f\x92"), "\\xe2\\x82(\\xf0\\x9f\\x92");
  EXPECT_EQ(printable("\xc0\x9b \xc1\xbf \xe0\x82\x9b \xf0\x80\x82\x9b"),
            "\\xc0\\x9b \\xc1\\xbf \\xe0\\x82\\x9b \\xf0\\x80\\x82\\x9b")
      << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80 \xf4\x90\x80\x80 \xff"),
            "\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80 \\xff")
      << "surrogate, past the end, never used";
}

TEST(Printable, MarksOfDirectionAreWrittenOut) {
  EXPECT_EQ(printable("a\u202e"
                      "b\u2066"),
            "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6");
}

TEST(Printable, LineEndsAreWrittenOutWhereALineIsWanted) {
  EXPECT_EQ(printable_line("a\nb\tc\x1b"), "a\\nb\\tc\\x1b");
}

TEST(Printable, JsonStaysJson) {
  EXPECT_EQ(printable_json("{\n \"a\\u001b\": \"\xc2\x9b\x7fµ\"\n}"),
            "{\n \"a\\u001b\": \"\\u009b\\u007fµ\"\n}");
}

}  // namespace
}  // namespace pgokit
