#include "generate/functions/frame_names.h"

#include <gtest/gtest.h>

#include <string>

namespace pgokit::generate {
namespace {

TEST(FrameNames, EqualNamesAreOneWhereverTheyStand) {
  profile::NameTable table;
  FrameNames names(table);
  std::string here = "work", there = "work";
  NameId id = names.id(here);
  EXPECT_EQ(table.text(id), "work");
  EXPECT_EQ(names.id(here), id);
  EXPECT_EQ(names.id(there), id);
  EXPECT_EQ(table.intern("work"), id);
}

TEST(FrameNames, ANameMayBeTheBeginningOfAnother) {
  profile::NameTable table;
  FrameNames names(table);
  std::string_view text = "workers";
  NameId whole = names.id(text), beginning = names.id(text.substr(0, 4));
  EXPECT_NE(whole, beginning);
  EXPECT_EQ(table.text(beginning), "work");
  EXPECT_EQ(names.id(text), whole);
}

TEST(FrameNames, SeveralShareATable) {
  profile::NameTable table;
  FrameNames first(table), second(table);
  std::string_view a = "a", b = "b";
  NameId id = first.id(a);
  EXPECT_NE(second.id(b), id);
  EXPECT_EQ(second.id(a), id);
}

}  // namespace
}  // namespace pgokit::generate
