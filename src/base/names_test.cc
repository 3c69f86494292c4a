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
