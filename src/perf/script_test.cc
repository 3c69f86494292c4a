#include "perf/script.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

namespace pgokit::perf {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Writes down what it is told.
struct Recorder {
  std::string log;
  size_t frames_wanted = 100;
  size_t frames = 0;
  bool keep = true;

  void mmap(const MmapLine& line) { log += fmt::format("mmap {:#x}\n", line.start); }
  void begin_sample(u64 repeat) { log += fmt::format("sample {}\n", repeat), frames = 0; }
  bool frame(u64 address) {
    log += fmt::format(" frame {:x}\n", address);
    return ++frames < frames_wanted;
  }
  bool end_of_frames() { return keep && frames > 0; }
  void branch(u64 from, u64 to) { log += fmt::format(" {:x}->{:x}\n", from, to); }
  void end_sample() { log += "end\n"; }
  void bad_branch(u64 line, std::string_view text) {
    log += fmt::format(" bad line {}: {}\n", line, text);
  }
  void no_branch_line() { log += "no branch line\n"; }
};

std::string parse(std::string_view text, ScriptKind kind, Recorder recorder = {}) {
  parse_script(text, kind, recorder);
  return recorder.log;
}

constexpr auto branches = ScriptKind::branches;
constexpr auto hybrid = ScriptKind::hybrid;

TEST(Script, ToldApart) {
  EXPECT_EQ(detect_script(" 4005dc 0x4005c8/0x4005dc/P/-/-/0  0x40062f/0x4005b0/P/-/-/0\n"),
            branches);
  EXPECT_EQ(detect_script(" 4005dc 0x4005c8/0x4005dc/P\n"), branches);  // one entry with ip
  EXPECT_EQ(detect_script("12\n 4005dc\n 400634\n 0x1/0x2/P 0x3/0x4/P\n"), hybrid);
  EXPECT_EQ(detect_script("comm 1\n\n\t4005dc\n 0x1/0x2/P  0x3/0x4/P\n"), hybrid);
  // As llvm-profgen has it: one entry without ip, no 0x, another column in front, too many spaces.
  EXPECT_EQ(detect_script(" 0x4005c8/0x4005dc/P\n"), ScriptKind::invalid);
  EXPECT_EQ(detect_script(" 4005dc 4005c8/4005dc/P 1/2/P\n"), ScriptKind::invalid);
  EXPECT_EQ(detect_script(" cycles: 4005dc 0x4005c8/0x4005dc/P\n"), ScriptKind::invalid);
  EXPECT_EQ(detect_script("4005dc   0x4005c8/0x4005dc/P\n"), ScriptKind::invalid);
  EXPECT_EQ(detect_script("4005dc  0x4005c8/0x4005dc/P\n"), branches);
  EXPECT_EQ(detect_script(""), ScriptKind::invalid);
  EXPECT_EQ(detect_script("4005dc\n400634"), ScriptKind::invalid);
}

struct TakenRecorder : Recorder {
  void branch_not_taken(u64 from, u64 to) { log += fmt::format(" {:x}->{:x} not\n", from, to); }
};

TEST(Script, BranchesThatWereNotTakenAreToldToThoseWhoAsk) {
  constexpr std::string_view text =
      "1 0x1/0x2/P 0x3/0x4/PN 0x5/0x6/MN/-/-/0 0x7/0x8/M/-/N/0 0x9/0xa/ 0xb/0xc\n";
  TakenRecorder taken;
  parse_script(text, branches, taken);
  EXPECT_EQ(taken.log, "sample 1\n 1->2\n 3->4 not\n 5->6 not\n 7->8\n 9->a\n b->c\nend\n");
  EXPECT_EQ(parse(text, branches), "sample 1\n 1->2\n 3->4\n 5->6\n 7->8\n 9->a\n b->c\nend\n");
}

TEST(Script, TellsWhyItIsNone) {
  EXPECT_EQ(script_problem("\n \n"), "is empty");
  EXPECT_EQ(script_problem(std::string_view("ab\0c", 4)),
            "neither a recording (perf.data) nor text of perf script");
  EXPECT_THAT(script_problem("app 1 cycles: 1 0x1/0x2/P/-/-/0\n"),
              StartsWith("has branch stacks after"));
  EXPECT_THAT(script_problem("app 1 cycles:\n  401000 main (/bin/app)\n"),
              HasSubstr("call chains but no"));
  EXPECT_THAT(script_problem("1: branches: 401 a => 402 b\n"),
              HasSubstr("trace of single branches"));
  EXPECT_THAT(script_problem("hello\n"), StartsWith("has no branch stacks"));
}

TEST(Script, BranchSamples) {
  EXPECT_EQ(
      parse(" 4005dc 0x4005c8/0x4005dc/P/-/-/0  0x40062f/0x4005b0/P/-/-/0 \n0xA/0xb\n", branches),
      "sample 1\n 4005c8->4005dc\n 40062f->4005b0\nend\nsample 1\n a->b\nend\n");
}

TEST(Script, FirstTwoCharactersOfAnAddressDoNotMatter) {
  EXPECT_EQ(parse("zz12/..34/x\n", branches), "sample 1\n 12->34\nend\n");
  EXPECT_THAT(parse("12/34/x\n", branches), HasSubstr("bad line 1: 12/34/x"));
  EXPECT_THAT(parse("0x/0x34\n", branches), HasSubstr("bad line 1"));
  EXPECT_THAT(parse("0x1234\n", branches), HasSubstr("bad line 1"));
}

TEST(Script, BrokenBranchEndsItsLine) {
  EXPECT_EQ(parse("0x1/0x2 0x3/0xg 0x5/0x6\n0x7/0x8\n", branches),
            "sample 1\n 1->2\n bad line 1: 0x1/0x2 0x3/0xg 0x5/0x6\nend\n"
            "sample 1\n 7->8\nend\n");
  EXPECT_THAT(parse("main 0x1/0x2\n", branches), HasSubstr("bad line 1: main 0x1/0x2\nend"));
  EXPECT_THAT(parse("0x1/0x2 12 0x3/0x4\n", branches), HasSubstr("1->2\n bad line 1"));
  EXPECT_THAT(parse("0x11111111111111111/0x2\n", branches), HasSubstr("bad line"));
  EXPECT_EQ(parse("0x00000ffffffffffffffff/0x2\n", branches),
            "sample 1\n ffffffffffffffff->2\nend\n");
}

TEST(Script, RepeatCounts) {
  EXPECT_EQ(parse("12\n0x1/0x2\n3\n4\n5\n0x1/0x2", branches),
            "sample 12\n 1->2\nend\nsample 3\nend\nsample 5\n 1->2\nend\n");
  EXPECT_EQ(parse("7", branches), "sample 7\nend\n");
  EXPECT_EQ(parse("12 \n", branches), "sample 1\nend\n");  // an ip: a count has no spaces
}

TEST(Script, HybridSamples) {
  EXPECT_EQ(parse("5\n\t 4005dc\n\t400634\n 0x1/0x2/P 0x3/0x4/P\n\n 77\n 0x5/0x6\n", hybrid),
            "sample 5\n frame 4005dc\n frame 400634\n 1->2\n 3->4\nend\n"
            "sample 1\n"  // the blank line
            "sample 1\n frame 77\n 5->6\nend\n");
}

TEST(Script, HybridDropsSamples) {
  Recorder drop;
  drop.keep = false;
  EXPECT_EQ(parse(" 1\n 0x1/0x2\n 2\n", hybrid, drop), "sample 1\n frame 1\nsample 1\n frame 2\n");
  // A frame that is no number: one line is skipped, and a branch line behind it.
  EXPECT_EQ(parse(" 1\nmain\n 0x1/0x2\n 5\n 0x3/0x4", hybrid),
            "sample 1\n frame 1\nsample 1\n frame 5\n 3->4\nend\n");
  EXPECT_EQ(parse(" 1\nmain\n 2\n 0x1/0x2\n", hybrid),
            "sample 1\n frame 1\nsample 1\n frame 2\n 1->2\nend\n");
  // A sink that has enough: what follows is skipped, numbers or not.
  Recorder one;
  one.frames_wanted = 1;
  EXPECT_EQ(parse(" 1\n 2\nmain\n\n 0x1/0x2\n", hybrid, one), "sample 1\n frame 1\n 1->2\nend\n");
  EXPECT_EQ(parse(" 0x1/0x2\n 5\n 0x3/0x4", hybrid), "sample 1\nsample 1\n frame 5\n 3->4\nend\n");
  EXPECT_EQ(parse(" 1\n 2", hybrid), "sample 1\n frame 1\n frame 2\nno branch line\n");
}

constexpr std::string_view mmap2_line =
    "app 7 PERF_RECORD_MMAP2 113428/113429: [0x7fd4efb57000(0x204000) @ 0x1000 08:04 19532229 "
    "3585508847]: r-xp /usr/lib64/lib dl.so";

TEST(Script, MmapLines) {
  ASSERT_TRUE(is_mmap_line(mmap2_line));
  auto line = parse_mmap_line(mmap2_line);
  ASSERT_TRUE(line.parsed);
  EXPECT_EQ(line.pid, 113428);
  EXPECT_EQ(line.start, 0x7fd4efb57000);
  EXPECT_EQ(line.size, 0x204000);
  EXPECT_EQ(line.file_offset, 0x1000);
  EXPECT_EQ(line.protection, "r-xp");
  EXPECT_EQ(line.path, "/usr/lib64/lib dl.so");
  line = parse_mmap_line(
      "PERF_RECORD_MMAP -1/0: [0xffffffff81e00000(0x3e8fa000) @ 0xffffffff81e00000]: x "
      "[kernel.kallsyms]_text");
  ASSERT_TRUE(line.parsed);
  EXPECT_EQ(line.pid, -1);
  EXPECT_EQ(line.file_offset, 0xffffffff81e00000);
  EXPECT_EQ(line.protection, "x");
  line = parse_mmap_line("PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 08:04 1 2]: r-xp /odd]: r-xp /path");
  EXPECT_EQ(line.path, "/path");  // the last place that fits
}

TEST(Script, MmapLinesThatAreNot) {
  EXPECT_FALSE(is_mmap_line("PERF_RECORD_MMAP 1/1: [0x1(0x2) @ 0]: x /a"));  // short
  EXPECT_FALSE(is_mmap_line("1" + std::string(mmap2_line)));
  EXPECT_FALSE(is_mmap_line("PERF_RECORD_COMM_ _ and so on and so on and so on and so on"));
  for (const char* text : {"PERF_RECORD_MMAP2 1/-1: [0x1(0x2) @ 0 08:04 1 2]: r-xp /a",
                           "PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 12 08:04 1 2]: r-xp /a",
                           "PERF_RECORD_MMAP2 1/1: [0xA(0x2) @ 0 08:04 1 2]: r-xp /a",
                           "PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 08:04 1 2]: R-XP /a",
                           "PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 08:04 1 2 r-xp /a",
                           "PERF_RECORD_MMAP 1/1: [0x1(0x2) @ 0 ]: x /a",
                           "PERF_RECORD_MMAP3 1/1: [0x1(0x2) @ 0]: x /a"})
    EXPECT_FALSE(parse_mmap_line(text).parsed) << text;
}

TEST(Script, MmapLinesAreFoundAmongSamples) {
  std::string text = " 1 0x1/0x2/P 0x3/0x4/P\n" + std::string(mmap2_line) + "\n 1 0x1/0x2/P\n\n" +
                     std::string(mmap2_line);
  size_t found = 0;
  for_each_mmap_line(text, MmapRule::llvm_profgen, [&](const MmapLine& line) {
    EXPECT_EQ(line.line, mmap2_line);
    ++found;
  });
  EXPECT_EQ(found, 2U);
  EXPECT_EQ(parse(text, branches),
            "sample 1\n 1->2\n 3->4\nend\nmmap 0x7fd4efb57000\nsample 1\n 1->2\nend\n"
            "sample 1\nend\nmmap 0x7fd4efb57000\n");
}

// Cut anywhere, the chunks together say the same as the whole.
TEST(Script, SplitsBetweenSamples) {
  struct Case {
    ScriptKind kind;
    std::string text;
  };
  for (const auto& [kind, text] :
       {Case{branches, "12\n0x1/0x2\n3\n4\n5\n0x1/0x2\n\n7\n\n 8 0x1/0x2 0x3/0x4\n9"},
        Case{hybrid, "5\n 1\n 2\n 0x1/0x2\n\nmain\n 3\nx\n 0x3/0x4\n 4\n\n 9\n 0x1/0x2"}}) {
    std::string whole = parse(text, kind);
    for (size_t size = 1; size < text.size() + 2; ++size) {
      std::string sum, bytes;
      for (auto chunk : split_script(text, kind, size)) {
        sum += parse(chunk, kind);
        bytes += chunk;
      }
      EXPECT_EQ(sum, whole) << size;
      EXPECT_EQ(bytes, text);
    }
  }
}

// What the quick way takes, the careful one takes for the same.
TEST(Script, CommonBranchesAreTakenAsTheyAreOtherwise) {
  std::mt19937_64 random(1);
  std::string_view letters = "0123456789abcdefxP/- gF\t\xb0";
  for (int i = 0; i < 200'000; ++i) {
    std::string text =
        fmt::format("0x{:x}/0x{:x}/P/-/-/0 ", random() >> random() % 64, random() >> random() % 64);
    text.resize(64, ' ');
    for (auto n = random() % 3; n; --n) text[random() % 40] = letters[random() % letters.size()];
    const char* at = text.data();
    u64 from, to, careful_from, careful_to;
    if (!script_detail::take_common_branch(at, from, to)) continue;
    const char* careful = text.data();
    const char* end = careful + std::min(text.find(' '), text.size());
    ASSERT_TRUE(script_detail::take_branch(careful, end, careful_from, careful_to)) << text;
    ASSERT_EQ(std::pair(from, to), std::pair(careful_from, careful_to)) << text;
    ASSERT_EQ(at, careful);
    ASSERT_EQ(*at, '/');
  }
}

TEST(Script, CommonBranchesHaveUpTo15Digits) {
  for (u64 value = 1; value >> 60 == 0; value = value << 1 | (value & 5) / 5) {
    std::string text = fmt::format("0x{:x}/0x{:x}/", value, value ^ 1);
    text.resize(64, ' ');
    const char* at = text.data();
    u64 from, to;
    ASSERT_TRUE(script_detail::take_common_branch(at, from, to)) << text;
    EXPECT_EQ(std::pair(from, to), std::pair(value, value ^ 1));
  }
}

// The way of machines without SSE2 is tested on all.
TEST(Script, CommonAddressesAreTakenPortablyTheSame) {
  std::mt19937_64 random(1);
  std::string_view letters = "0123456789abcdefxP/- gF\t\xb0";
  for (int i = 0; i < 200'000; ++i) {
    std::string text = fmt::format("0x{:x}/", random() >> random() % 64);
    text.resize(32, ' ');
    for (auto n = random() % 3; n; --n) text[random() % 20] = letters[random() % letters.size()];
    const char *at = text.data(), *careful_at = at;
    u64 value, careful_value;
    if (!script_detail::take_common_address_portably(at, value) || *at != '/') continue;
    ASSERT_TRUE(script_detail::take_address(careful_at, text.data() + 32, careful_value)) << text;
    ASSERT_EQ(value, careful_value) << text;
    ASSERT_EQ(at, careful_at) << text;
  }
}

TEST(Script, CommonAddressesHaveUpTo15DigitsPortably) {
  for (u64 value = 1; value >> 60 == 0; value = value << 1 | (value & 5) / 5) {
    std::string text = fmt::format("0x{:x}/", value);
    text.resize(32, ' ');
    const char* at = text.data();
    u64 taken;
    ASSERT_TRUE(script_detail::take_common_address_portably(at, taken)) << text;
    EXPECT_EQ(taken, value);
  }
}

TEST(Script, CountsLinesAndLosses) {
  Recorder recorder;
  auto counts = parse_script(" 1\nmain\n 0x1/0x2\n\n 2\n 0xg/0x3\n", hybrid, recorder);
  EXPECT_EQ(counts.lines, 6U);
  EXPECT_EQ(counts.samples, 3U);
  EXPECT_EQ(counts.bad_frames, 1U);
  EXPECT_EQ(counts.bad_branches, 1U);
}

}  // namespace
}  // namespace pgokit::perf
