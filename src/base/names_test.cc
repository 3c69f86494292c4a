#include "base/names.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

TEST(Names, EqualTextsAreEqualIds) {
  Names names;
  NameId a = names.intern("a");
  EXPECT_NE(names.intern(""), a);
  EXPECT_EQ(names.intern(std::string("a")), a);
  EXPECT_EQ(names.size(), 2u);
}

TEST(Names, FindsWhatIsThere) {
  Names names;
  EXPECT_FALSE(names.find("a"));
  for (int i = 0; i < 5000; ++i) names.intern(std::to_string(i));
  EXPECT_EQ(names.size(), 5000u);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(names.find(std::to_string(i)), NameId(i));
  EXPECT_FALSE(names.find("5000"));
  EXPECT_FALSE(names.find(""));
}

TEST(Names, TextsStayWhereTheyAre) {
  Names names;
  std::string_view first = names.text(names.intern("first"));
  for (int i = 0; i < 100'000; ++i) names.intern(std::to_string(i));
  names.intern(std::string(1 << 20, 'x'));
  EXPECT_EQ(first, "first");
  EXPECT_EQ(names.text(names.intern("first")).data(), first.data());
  EXPECT_EQ(names.text(names.intern("99999")), "99999");
}

}  // namespace
}  // namespace pgokit
