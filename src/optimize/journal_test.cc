#include "optimize/journal.h"

#include <gmock/gmock.h>

#include "test/support/shell.h"

namespace pgokit::optimize {
namespace {

using testing::Optional;

TEST(Journal, WhatIsNoJournalIsRefused) {
  for (const char* text :
       {"", "pgokit journal 2\n", "pgokit journal 1\na\tb\n", "pgokit journal 1\na\tb\tc\td\n"})
    EXPECT_FALSE(Journal::parse(text)) << text;
  test::ScratchDir folder;
  folder.write("journal", "something else");
  auto read = Journal::read(folder.file("journal"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, folder.file("journal") + ": it is no journal of pgokit");
}

TEST(Journal, StepsAreKeptInTheirOrder) {
  test::ScratchDir folder;
  auto path = folder.file("journal");
  auto journal = Journal::read(path);
  ASSERT_TRUE(journal && journal->empty());
  EXPECT_FALSE(journal->done("build", "make"));
  ASSERT_TRUE(journal->add("build", "make\n\tinstall", "a\\b\nc"));
  ASSERT_TRUE(journal->add("record", "./app", ""));

  auto again = Journal::read(path);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->done("build", "make\n\tinstall"), Optional(std::string("a\\b\nc")));
  EXPECT_THAT(again->done("record", "./app"), Optional(std::string()));
  EXPECT_FALSE(again->done("generate", ""));
}

TEST(Journal, StepsAfterOneThatIsBegunAnewAreForgotten) {
  test::ScratchDir folder;
  folder.write("journal", "pgokit journal 1\na\t1\t\nb\t2\t\n");
  auto journal = Journal::read(folder.file("journal"));
  ASSERT_TRUE(journal);
  EXPECT_FALSE(journal->done("a", "changed"));
  ASSERT_TRUE(journal->write());
  journal = Journal::read(folder.file("journal"));
  ASSERT_TRUE(journal && journal->empty());
}

TEST(Journal, WhatFollowsAnotherStepIsDoneAgain) {
  auto journal = Journal::parse("pgokit journal 1\na\t1\t\nb\t2\t\nc\t3\t\n");
  ASSERT_TRUE(journal);
  EXPECT_TRUE(journal->done("a", "1"));
  EXPECT_FALSE(journal->done("b", "changed"));
  EXPECT_FALSE(journal->done("c", "3"));
  EXPECT_EQ(journal->text(), "pgokit journal 1\na\t1\t\n");
}

}  // namespace
}  // namespace pgokit::optimize
