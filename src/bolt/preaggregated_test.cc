#include "bolt/preaggregated.h"

#include <gmock/gmock.h>

namespace pgokit::bolt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string written(const Preaggregated& read, std::string_view build_id = "") {
  std::string text;
  auto take = [&](std::string_view part) { text += part; };
  write_preaggregated(read.traces, build_id, take);
  write_preaggregated(read.addresses, read.events, build_id, take);
  return text;
}

TEST(Preaggregated, IsReadAndWritten) {
  std::string text =
      "r 401000 401002 3\n"
      "F 401000 401002 4\n"
      "T 401030 401010 401017 9\n"
      "B 401030 401010 2 0\n"
      "B 401030 401010 0 1\n"
      "E cycles:u\n"
      "S 401002 17\n";
  auto read = read_preaggregated(text, "");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->lines, 7);
  EXPECT_THAT(read->events, ElementsAre("cycles:u"));
  EXPECT_EQ(written(*read), text);
}

TEST(Preaggregated, KnowsReturnsAndOtherFiles) {
  auto read = read_preaggregated(
      "R 0 401010 401017 1\nR 401030 401010 401017 2\n"
      "T bb:1030 aa:1010 1017 5\n",
      "aa");
  ASSERT_TRUE(read);
  const auto& traces = read->traces;
  EXPECT_THAT(traces.returns, ElementsAre(BinaryAddr{0x401030}));
  ASSERT_EQ(traces.list.size(), 3);
  EXPECT_EQ(traces.list[0].branch, samples::external);
  EXPECT_EQ(traces.list[0].from, BinaryAddr{0x1010});
  EXPECT_EQ(traces.list[1].branch, BinaryAddr{0x401030});
  EXPECT_EQ(traces.list[2].branch, external_return);
}

TEST(Preaggregated, IsWrittenWithTheBuildId) {
  std::string text =
      "F aa:1000 aa:1002 4\n"
      "T 0 aa:1010 aa:1017 9\n"
      "B aa:1030 0 2 0\n"
      "S aa:1002 17\n";
  auto read = read_preaggregated(text, "aa");
  ASSERT_TRUE(read) << read.error().message;
  auto again = read_preaggregated(written(*read, "aa"), "aa");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->traces.list, read->traces.list);
  EXPECT_THAT(written(*read, "aa"), HasSubstr("T 0 aa:1010 aa:1017 9\n"));
  EXPECT_THAT(written(*read, "aa"), HasSubstr("S aa:1002 17\n"));
  // Nothing of it is another program's.
  auto other = read_preaggregated(text, "bb");
  ASSERT_TRUE(other);
  for (const auto& trace : other->traces.list) EXPECT_EQ(trace.from, samples::external);
}

TEST(Preaggregated, NamesTheLineThatIsNone) {
  for (const char* line : {"X 1 2 3", "T 1 2 3", "B 1 2 3", "F 1 2", "F 1 2 3 4", "F g 2 3",
                           "S 1 -1", "E", "F : 2 3", "F 11111111111111111 2 3", "\x1b[2J"}) {
    auto read = read_preaggregated(std::string("F 1 2 3\n") + line + "\n", "");
    ASSERT_FALSE(read) << line;
    EXPECT_THAT(read.error().message, HasSubstr("line 2"));
    EXPECT_THAT(read.error().message, testing::Not(HasSubstr("\x1b")));
  }
}

}  // namespace
}  // namespace pgokit::bolt
