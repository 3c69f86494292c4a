#include "perf/script_columns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "perf/script.h"

namespace pgokit::perf {
namespace {

// Writes down what it is told.
struct Told {
  std::string log;
  bool keep = true;

  void mmap(const MmapLine& line) { log += fmt::format("mmap {:#x}\n", line.start); }
  void begin_sample(u64 repeat) { log += fmt::format("sample {}\n", repeat); }
  bool frame(u64 address) { return log += fmt::format(" frame {:x}\n", address), true; }
  bool end_of_frames() { return keep; }
  void branch(u64 from, u64 to) { log += fmt::format(" {:x}->{:x}\n", from, to); }
  void end_sample() { log += "end\n"; }
  void bad_branch(u64 line, std::string_view text) {
    log += fmt::format(" bad line {}: {}\n", line, text);
  }
  void no_branch_line() { log += "no branch line\n"; }
};

std::string read(std::string_view text, bool keep = true) {
  auto kind = detect_text(text);
  if (kind == ScriptKind::invalid) return "invalid";
  Told told{.log = has_columns(kind) ? "columns\n" : "", .keep = keep};
  parse_script(text, kind, told);
  return told.log;
}

constexpr std::string_view mapping =
    "PERF_RECORD_MMAP2 5595/5595: [0x5629ec742000(0x1000) @ 0 00:6a 2006825049 1625258238]: r-xp "
    "/bin/app\n";
constexpr std::string_view told_mapping = "mmap 0x5629ec742000\n";
constexpr std::string_view flat = "sample 1\n 1->2\n 3->4\nend\nsample 1\n 5->6\nend\n";
constexpr std::string_view chains =
    "sample 1\n frame 77\n frame 88\n 1->2\n 3->4\nend\nsample 1\n frame 99\n 5->6\nend\n";

TEST(ScriptColumns, PlainTextIsThatOfLlvmProfgen) {
  EXPECT_EQ(read("  77 0x1/0x2/P/-/-/0  0x3/0x4/P/-/-/0 \n 99 0x5/0x6/P/-/-/0 \n"), flat);
  EXPECT_EQ(read("\t 77\n\t 88\n 0x1/0x2/P 0x3/0x4/P\n"),
            "sample 1\n frame 77\n frame 88\n 1->2\n 3->4\nend\n");
  EXPECT_EQ(read("app\n"), "invalid");
  EXPECT_EQ(read("\t 77\n\t 88\n"), "invalid");
  EXPECT_EQ(read(""), "invalid");
}

// perf prints them before the program has taken 1 branch.
TEST(ScriptColumns, EmptyStacksInFrontMakeNoCallChain) {
  EXPECT_EQ(read("     77\n     88\n     99 0x1/0x2/P  0x3/0x4/P\n"),
            "sample 1\nend\nsample 1\nend\nsample 1\n 1->2\n 3->4\nend\n");
}

TEST(ScriptColumns, WhateverStandsInFrontOfTheBranches) {
  for (auto head : {"7421      ", "app  7421 12.345678:  156 cycles:u:  ",
                    "app 7421/7422 [001] 1.5: ", "cycles: ", "a b 7421 1.000001: cycles:u: "}) {
    EXPECT_EQ(read(fmt::format("{0} 77 0x1/0x2/P/-/-/0  0x3/0x4/P/-/-/0 \n{0} 99 0x5/0x6/P/-/-/0\n",
                               head)),
              fmt::format("columns\n{}", flat))
        << head;
    EXPECT_EQ(
        read(fmt::format("{0}\n\t 77\n\t 88\n 0x1/0x2/P/-/-/0  0x3/0x4/P/-/-/0 \n\n{0}\n\t 99\n "
                         "0x5/0x6/P/-/-/0\n\n",
                         head)),
        fmt::format("columns\n{}", chains))
        << head;
  }
  EXPECT_EQ(read(" 7421  0x1/0x2/P  0x3/0x4/P\n 7421  0x5/0x6/P\n"), flat);
}

TEST(ScriptColumns, TheEventStandsInFrontOfTheAddress) {
  for (auto [line, event] :
       {std::pair("app 7421 12.345678:  156 cycles:u:  77 main (/bin/app)", "cycles:u"),
        {"7421 1.5: cpu_core/cycles/: 77", "cpu_core/cycles/"},
        {"7421 1.5:  77", ""},
        {"7421  77", ""}})
    EXPECT_EQ(parse_columns(line, false).event, event) << line;
}

TEST(ScriptColumns, BranchesThatWereNotTakenAreMarked) {
  script_detail::ColumnBranch branch;
  for (auto [text, not_taken] : {std::pair("0x1/0x2/PN/-/-/0", true),
                                 {"0x1(/bin/N)/0x2(/bin/N)/MN/-", true},
                                 {"0x1(/bin/N)/0x2(/bin/N)/M/-/N", false},
                                 {"0x1/0x2", false}}) {
    const char* at = text;
    EXPECT_TRUE(script_detail::take_column_branch(at, at + strlen(text), branch)) << text;
    EXPECT_EQ(branch.not_taken, not_taken) << text;
  }
}

TEST(ScriptColumns, SymbolsAndFiles) {
  EXPECT_EQ(
      read(" 77 work+0x1 (/a b/app) 0x1(/a b/app)/0x2(/x)/y)/P/-/-/0  0x3([unknown])/0x4(/x)/M/-"
           "/-/0/CALL/-  \n 99 [unknown] ([unknown]) 0x5(/app)/0x6(/app)/P/-/-/0 \n"),
      fmt::format("columns\n{}", flat));
  EXPECT_EQ(
      read("\n\t 77 work+0x1 (/a)\n\t 88 main (/a b)\n 0x1(/a)/0x2(/a)/P/-  0x3(/a)/0x4(/a)/P/- "
           "\n\n\t 99 f(int, 0x1/0x2) (/a)\n 0x5(/a)/0x6(/a)/-/- \n"),
      fmt::format("columns\n{}", chains));
}

TEST(ScriptColumns, InlinedFunctionsAreNoFrames) {
  EXPECT_EQ(read("app 1 1.5: cycles: \n\t 77 inner (inlined)\n\t 77 work (/a)\n\t 88 main (/a)\n "
                 "0x1/0x2/P  0x3/0x4/P\n\napp 1 1.6: cycles:\n\t 99 f (/a)\n 0x5/0x6/P\n"),
            fmt::format("columns\n{}", chains));
}

TEST(ScriptColumns, MappingEventsBehindTheProcess) {
  EXPECT_EQ(
      read(fmt::format("12345 {}12345  77 0x1/0x2/P  0x3/0x4/P \n12345  99 0x5/0x6/P\n", mapping)),
      fmt::format("columns\n{}{}", told_mapping, flat));
  EXPECT_EQ(
      read(fmt::format("12345 {}12345 \n\t 77\n\t 88\n 0x1/0x2/P  0x3/0x4/P\n\n12345 \n\t 99\n "
                       "0x5/0x6/P\n",
                       mapping)),
      fmt::format("columns\n{}{}", told_mapping, chains));
}

TEST(ScriptColumns, TaskEvents) {
  auto fork = parse_task_line("app 7 1.5: PERF_RECORD_FORK(5:6):(7:8)");
  ASSERT_TRUE(fork);
  EXPECT_FALSE(fork->exec);
  EXPECT_EQ(fork->pid, 5u);
  EXPECT_EQ(fork->tid, 6u);
  EXPECT_EQ(fork->parent, 7u);
  auto exec = parse_task_line("app 7 PERF_RECORD_COMM exec: a:1/2 b:9/10");
  ASSERT_TRUE(exec && exec->exec);
  EXPECT_EQ(exec->pid, 9u);
  EXPECT_EQ(exec->tid, 10u);
  for (auto line : {"PERF_RECORD_COMM: a:9/10", "PERF_RECORD_FORK", "PERF_RECORD_FORK(5:6)",
                    "PERF_RECORD_FORK(x:6):(7:8)", "PERF_RECORD_COMM exec: a",
                    "PERF_RECORD_EXIT(5:6):(7:8)", "PERF_RECORD_COMM exec: a:b/c", ""})
    EXPECT_FALSE(parse_task_line(line)) << line;
}

TEST(ScriptColumns, CommentsAndOtherEventsSayNothing) {
  constexpr std::string_view header = "# ========\n# cmdline : 0x1/0x2 \n#\n";
  EXPECT_EQ(read(fmt::format("{} 77 0x1/0x2/P  0x3/0x4/P\nPERF_RECORD_LOST lost 0x1/0x2\n 99 "
                             "0x5/0x6/P\n",
                             header)),
            fmt::format("columns\n{}", flat));
  EXPECT_EQ(
      read(fmt::format("{}\t 77\n\t 88\n 0x1/0x2/P  0x3/0x4/P\n\n\t 99\n 0x5/0x6/P\n", header)),
      fmt::format("columns\n{}", chains));
  EXPECT_EQ(read(fmt::format("{}3\n 77 0x1/0x2/P  0x3/0x4/P\n 99 0x5/0x6/P\n", header)),
            "columns\nsample 3\n 1->2\n 3->4\nend\nsample 1\n 5->6\nend\n");
}

TEST(ScriptColumns, SamplesWithoutBranchesAreSamples) {
  EXPECT_EQ(read("app 1 1.5: cycles: 77 \napp 1 1.6: cycles: 77 0x1/0x2/P\napp 1 1.7: cycles: 78"),
            "columns\nsample 1\nend\nsample 1\n 1->2\nend\nsample 1\nend\n");
  EXPECT_EQ(read("app 1 1.5: cycles:\n\t 77\n\t 88\n\napp 1 1.6: cycles:\n\t 99\n 0x5/0x6/P\n"),
            "columns\nsample 1\n frame 77\n frame 88\nend\nsample 1\n frame 99\n 5->6\nend\n");
}

TEST(ScriptColumns, DroppedSamplesAreDroppedWhole) {
  EXPECT_EQ(read("app 1 1.5: cycles:\n\t 77\n 0x1/0x2/P\n", false),
            "columns\nsample 1\n frame 77\n");
}

TEST(ScriptColumns, BrokenBranchesAreTold) {
  EXPECT_EQ(read("app 1 1.5: cycles: 77 0x1(/a)/0x2(/a)/P  0x3(/a/0x4\n"),
            "columns\nsample 1\n 1->2\n bad line 1: 0x1(/a)/0x2(/a)/P  0x3(/a/0x4\nend\n");
  EXPECT_EQ(read("app 1 1.5: cycles: 77 0x1/0x2/P  nonsense\n"),
            "columns\nsample 1\n 1->2\n bad line 1: 0x1/0x2/P  nonsense\nend\n");
}

// Cut anywhere, the chunks together say the same as the whole.
TEST(ScriptColumns, SplitBetweenSamples) {
  std::string text = fmt::format(
      "# head 0x1/0x2\n12345 {}app 1 1.5: cycles: 77 \n2\napp 1 1.6: cycles: 77 0x1/0x2/P\napp 1 "
      "1.7: "
      "cycles:\n\t 78 (/x)\n\t 99\n 0x5(/a)/0x6(/a)/P\n\n\n\t 1\n 0x5/0x6\napp 1 1.8: cycles: 5\n",
      mapping);
  Told whole;
  parse_script(text, ScriptKind::columns, whole);
  for (size_t size = 1; size < text.size() + 2; ++size) {
    Told sum;
    for (auto chunk : split_script(text, ScriptKind::columns, size))
      parse_script(chunk, ScriptKind::columns, sum);
    EXPECT_EQ(sum.log, whole.log) << size;
  }
}

TEST(ScriptColumns, LlvmProfgenTakesNone) {
  EXPECT_EQ(detect_script("12345  77 0x1/0x2/P  0x3/0x4/P \n"), ScriptKind::invalid);
  EXPECT_FALSE(is_mmap_line(fmt::format("12345 {}", mapping)));
  EXPECT_TRUE(is_mmap_line(fmt::format("12345 {}", mapping), MmapRule::with_columns));
}

}  // namespace
}  // namespace pgokit::perf
