// Damaged scripts: the reader takes, drops and complains about what llvm-profgen does.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "perf/script.h"
#include "perf/test_tools.h"

namespace pgokit::perf {
namespace {

const std::string program =
    PGOKIT_SOURCE_DIR "/../shared/corpus/google-autofdo/gzip_lbr/test.binary";
constexpr u64 base = 0x400000;

class Dice {
 public:
  explicit Dice(u64 seed) : state_(seed * 2 + 1) {}
  size_t below(size_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % n;
  }

 private:
  u64 state_;
};

// What the two have in common: complaints in their order, and how often each branch was taken.
struct Outcome {
  std::string complaints;
  std::map<std::pair<u64, u64>, u64> branches;

  void mmap(const MmapLine& line) {
    if (!line.parsed) complaints += fmt::format("Cannot parse mmap event: {}\n", line.line);
  }
  void begin_sample(u64 times) { repeat = times; }
  bool frame(u64) { return true; }
  bool end_of_frames() { return true; }
  void branch(u64 from, u64 to) { branches[{from - base, to - base}] += repeat; }
  void end_sample() {}
  void bad_branch(u64 number, std::string_view text) {
    complaints += fmt::format("Invalid address in LBR record at line {}: {}\n", number, text);
  }
  void no_branch_line() {}

  u64 repeat = 1;
};

std::string sample_line(Dice& dice) {
  static constexpr u64 places[] = {0xfe0,  0xff7,  0x101f, 0x1061, 0x107f, 0x1080,
                                   0x1094, 0x1098, 0x10ba, 0x1470, 0x1491, 0x7fffffffffff};
  auto place = [&] { return base + places[dice.below(std::size(places))]; };
  std::string line = fmt::format("{:>16x} ", place());
  for (size_t i = 0; i < 4; ++i)
    line += fmt::format(" 0x{:x}/0x{:x}/{}/-/-/{} ", place(), place(), i % 2 ? 'M' : 'P', i);
  return line;
}

std::string script(Dice& dice) {
  std::string text;
  for (size_t i = 0; i < 12; ++i) {
    size_t kind = dice.below(8);
    if (kind == 0) text += fmt::format("{}\n", dice.below(30) + 1);
    if (kind == 1) text += "\n";
    if (kind == 2)
      text += "app 7 PERF_RECORD_MMAP2 7/7: [0x500000(0x28000) @ 0x1000 08:04 19 3]: r-xp /bin/x\n";
    text += sample_line(dice) + "\n";
  }
  static constexpr std::string_view letters = "0123456789abcfgAFx/// \t\r\n\n-:[]()@P_";
  for (size_t i = dice.below(12); i > 0; --i) {
    size_t at = dice.below(text.size());
    switch (dice.below(3)) {
      case 0:
        text.erase(at, 1 + dice.below(3));
        break;
      case 1:
        text.insert(at, 1, letters[dice.below(letters.size())]);
        break;
      default:
        text[at] = letters[dice.below(letters.size())];
        break;
    }
  }
  return text;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// "warning: TEXT" lines of the kinds that are compared. (A complaint about a map ends with a
// space.)
std::string complaints_in(const std::string& log) {
  std::istringstream lines(log);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("warning: ")) continue;
    line.erase(0, 9);
    bool of_map = line.starts_with("Cannot parse mmap event");
    if (of_map) line.pop_back();
    if (of_map || line.starts_with("Invalid address in LBR")) text += line + '\n';
  }
  return text;
}

// "FROM->TO:COUNT"
void expect_branches(const std::string& raw, const Outcome& ours) {
  std::istringstream lines(raw);
  for (std::string line; std::getline(lines, line);) {
    size_t arrow = line.find("->"), colon = line.find(':');
    if (arrow == line.npos) continue;
    u64 from = std::stoull(line, nullptr, 16),
        to = std::stoull(line.substr(arrow + 2), nullptr, 16);
    if (from >> 32) continue;  // from outside of the program
    auto found = ours.branches.find({from, to});
    EXPECT_EQ(found == ours.branches.end() ? 0 : found->second, std::stoull(line.substr(colon + 1)))
        << line;
  }
}

TEST(ScriptOracle, DamagedScriptsAreReadAsLlvmProfgenReadsThem) {
  if (!test::have("llvm-profgen-22")) GTEST_SKIP() << "llvm-profgen-22 is not installed";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "not here: " << program;
  std::string stem = fmt::format("{}pgokit-script-{}", ::testing::TempDir(), getpid());
  std::string command = fmt::format(
      "llvm-profgen-22 --skip-symbolization --perfscript={0}.txt --binary={1} --output={0}.raw",
      stem, program);
  size_t compared = 0, complaining = 0;
  for (u64 seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    std::string text = script(dice);
    std::ofstream(stem + ".txt", std::ios::binary) << text;
    std::filesystem::remove(stem + ".raw");
    std::string log = test::output_of(command);
    auto kind = detect_script(text);
    SCOPED_TRACE(fmt::format("seed {}:\n{}\n{}", seed, text, log));
    EXPECT_EQ(log.find("Invalid perf script input!") != log.npos, kind == ScriptKind::invalid);
    if (kind != ScriptKind::branches) continue;
    Outcome ours;
    parse_script(text, kind, ours);
    EXPECT_EQ(ours.complaints, complaints_in(log));
    expect_branches(read_text(stem + ".raw"), ours);
    ++compared;
    complaining += !ours.complaints.empty();
  }
  EXPECT_GT(compared, 30U);
  EXPECT_GT(complaining, 15U);
  for (const char* suffix : {".txt", ".raw"}) std::filesystem::remove(stem + suffix);
}

}  // namespace
}  // namespace pgokit::perf
