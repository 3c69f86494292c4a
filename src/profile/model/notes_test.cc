#include "profile/model/notes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace pgokit::profile {
namespace {

using testing::HasSubstr;

Notes read(std::string_view text) {
  Notes notes;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    notes.read_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return notes;
}

Note numbered(u64 date) {
  Note note;
  note.date = date;
  note.program = fmt::format("p{}", date);
  return note;
}

TEST(Notes, ReadsWhatItWrites) {
  Notes notes;
  notes.add({.date = 1700000000,
             .program = "a b",
             .build_id = "2bf972f0",
             .kind = "whole run",
             .command = "./a\tb 100%\n\x1b[2J \xff",
             .machine = "größe",
             .recorder = "perf 6.1",
             .made_by = "pgokit 0.1.0",
             .samples = 77});
  Note undated;
  undated.program = "older";
  notes.add(undated);
  auto text = notes.text("");
  EXPECT_TRUE(
      std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  EXPECT_THAT(text, HasSubstr("date=2023-11-14T22:13:20Z program=a%20b build-id=2bf972f0"));
  EXPECT_EQ(read(text), notes);
  EXPECT_EQ(notes.date(), 1700000000);
}

TEST(Notes, KeepsTheNewestInAnyOrderAndGrouping) {
  constexpr u64 all = 3 * Notes::most_kept;
  Notes ascending, descending, first, second;
  for (u64 i = 1; i <= all; ++i) {
    ascending.add(numbered(i));
    descending.add(numbered(all + 1 - i));
    (i % 3 ? first : second).add(numbered(i));
  }
  EXPECT_EQ(ascending, descending);
  first.add(second);
  EXPECT_EQ(first, ascending);
  EXPECT_EQ(ascending.newest().size(), Notes::most_kept);
  EXPECT_EQ(ascending.newest()[0], numbered(all));
  EXPECT_EQ(ascending.older(), all - Notes::most_kept);
  EXPECT_EQ(read(ascending.text("")), ascending);
}

TEST(Notes, EqualOnesAreSeveral) {
  Notes notes;
  notes.add(numbered(5));
  notes.add(numbered(5));
  EXPECT_EQ(notes.newest().size(), 2);
}

TEST(Notes, TakesNothingFromWhatIsNoNote) {
  for (const char* line : {"", " ", "=", "date", "colour=red", "date=tomorrow", "older=x",
                           "samples=-1", "samples=99999999999999999999", "older=0"})
    EXPECT_TRUE(read(line).empty()) << line;
}

TEST(Notes, AreBounded) {
  auto notes = read("program=" + std::string(5000, 'x') + " command=" + std::string(9000, '%'));
  ASSERT_EQ(notes.newest().size(), 1);
  EXPECT_EQ(notes.newest()[0].program.size(), Notes::longest_text);
  EXPECT_EQ(notes.newest()[0].command.size(), Notes::longest_text);
  EXPECT_EQ(read(notes.text("")), notes);
  EXPECT_EQ(read("older=18446744073709551615\nolder=5").older(), ~u64{0});
  EXPECT_EQ(read("program=a%2 command=%zz%").newest()[0].program, "a%2");
}

}  // namespace
}  // namespace pgokit::profile
