#include "cli/llvm/llvm_options.h"

#include <gtest/gtest.h>

#include "test/support/shell.h"

namespace pgokit::cli {
namespace {

struct Values {
  std::string binary, input;
  std::optional<bool> merge;
  bool kernel = false, offset = true;
  u64 depth = 7;
  i64 frames = -1;
  std::optional<u32> pid;
  double density = 50;
  std::vector<std::string> scripts;
};

OptionTable table_of(Values& v) {
  return {"tool",
          "A tool.",
          {{"--binary", "FILE", "", &v.binary},
           {"--merge", "BOOL", "", &v.merge},
           {"--kernel", "", "", &v.kernel},
           {"--use-offset", "BOOL", "", &v.offset},
           {"--depth", "N", "", &v.depth},
           {"--frames", "N", "", &v.frames},
           {"--pid", "N", "", &v.pid},
           {"--density", "N", "", &v.density},
           {"--perfscript,--ps", "FILE", "", &v.scripts}},
          ""};
}

struct Outcome {
  std::optional<int> exit;
  std::string complaints;
};

Outcome parse(const OptionTable& table, std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.exit = parse_llvm_options(table, pointers);
  outcome.complaints = testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(LlvmOptions, TakeOneDashOrTwoAndValuesInBothWays) {
  Values v;
  auto outcome = parse(table_of(v), {"-binary=a", "--depth", "0x10", "-frames=-3", "--pid=12",
                                     "--density=1.5", "-ps", "x", "--perfscript=y"});
  EXPECT_EQ(outcome.exit, std::nullopt);
  EXPECT_EQ(v.binary, "a");
  EXPECT_EQ(v.depth, 16u);
  EXPECT_EQ(v.frames, -3);
  EXPECT_EQ(v.pid, 12u);
  EXPECT_EQ(v.density, 1.5);
  EXPECT_EQ(v.scripts, (std::vector<std::string>{"x", "y"}));
}

TEST(LlvmOptions, SwitchesTakeNoNextWord) {
  Values v;
  EXPECT_EQ(parse(table_of(v), {"--kernel", "--use-offset=0", "--merge=", "--binary", "f"}).exit,
            std::nullopt);
  EXPECT_TRUE(v.kernel);
  EXPECT_FALSE(v.offset);
  EXPECT_EQ(v.merge, true);
  EXPECT_EQ(v.binary, "f");
}

TEST(LlvmOptions, TheLastOfSeveralCounts) {
  Values v;
  EXPECT_EQ(parse(table_of(v), {"--kernel", "--kernel=false", "--depth=1", "--depth=2"}).exit,
            std::nullopt);
  EXPECT_FALSE(v.kernel);
  EXPECT_EQ(v.depth, 2u);
}

TEST(LlvmOptions, SayAllThatIsWrong) {
  Values v;
  auto table = table_of(v);
  table.options[0].required = true;
  auto outcome = parse(table, {"--kernal=1", "--depth=-1", "--use-offset=maybe", "word", "--pid"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.complaints,
            "tool: Unknown command line argument '--kernal=1'.  Try: 'tool --help'\n"
            "tool: Did you mean '--kernel=1'?\n"
            "tool: for the --depth option: '-1' value invalid for uint argument!\n"
            "tool: for the --use-offset option: 'maybe' is invalid value for boolean argument! "
            "Try 0 or 1\n"
            "tool: Unknown command line argument 'word'.  Try: 'tool --help'\n"
            "tool: for the --pid option: requires a value!\n"
            "tool: for the --binary option: must be specified at least once!\n");
}

TEST(LlvmOptions, RefuseNumbersThatDoNotFit) {
  for (const char* bad : {"--pid=4294967296", "--depth=18446744073709551616", "--frames=9x",
                          "--frames=", "--density=x", "--depth=08", "--depth=0x"}) {
    Values v;
    EXPECT_EQ(parse(table_of(v), {bad}).exit, 1) << bad;
  }
}

TEST(LlvmOptions, TakeWordsFromFiles) {
  test::ScratchDir scratch;
  scratch.write("words.rsp", "--binary='a b'\n--kernel \"--depth=3\" --ps=x\\ y");
  Values v;
  EXPECT_EQ(parse(table_of(v), {"@" + scratch.file("words.rsp")}).exit, std::nullopt);
  EXPECT_EQ(v.binary, "a b");
  EXPECT_TRUE(v.kernel);
  EXPECT_EQ(v.depth, 3u);
  EXPECT_EQ(v.scripts, std::vector<std::string>{"x y"});
  EXPECT_EQ(parse(table_of(v), {"@no-such-file"}).exit, 1);
}

TEST(LlvmOptions, PositionalWordsAreForTablesThatHaveThem) {
  Values v;
  auto table = table_of(v);
  table.options.push_back({"FILE", "", "", &v.input, true});
  EXPECT_EQ(parse(table, {"in"}).exit, std::nullopt);
  EXPECT_EQ(v.input, "in");
  EXPECT_EQ(parse(table, {"--", "--in"}).exit, std::nullopt);
  EXPECT_EQ(v.input, "--in");
  EXPECT_EQ(parse(table, {"one", "two"}).exit, 1);
  EXPECT_EQ(parse(table, {"--kernel"}).exit, 1);
}

}  // namespace
}  // namespace pgokit::cli
