// Recordings against what other readers say of them: quipper's dumps, autofdo's counts, perf
// itself.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/file.h"
#include "perf/recording.h"
#include "perf/script.h"
#include "perf/summary.h"
#include "perf/test_tools.h"

namespace pgokit::perf {
namespace {

using ::testing::HasSubstr;

const std::string corpus = PGOKIT_SOURCE_DIR "/../shared/corpus/";

class CorpusOracle : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(corpus)) GTEST_SKIP() << "the corpus is not here: " << corpus;
  }
};

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Calls `each` with all samples in the order of the file.
template <class F>
void for_each_sample(const Recording& recording, F each) {
  ReadCounts counts;
  Sample sample;
  recording.for_each_piece(1, counts, [&](const Piece& piece, unsigned) {
    RecordWalk walk(piece.records);
    for (Record record; walk.next(record);)
      if (record.type == RecordType::sample && recording.parser().sample(record, sample, counts))
        each(sample);
  });
}

std::string hex(Bytes bytes) {
  std::string text;
  for (u8 byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// The fields of the dump's branch_stack groups, in its words.
std::string quipper_branches(const Recording& recording) {
  std::string text;
  for_each_sample(recording, [&](const Sample& sample) {
    for (const auto& entry : sample.branches)
      text +=
          fmt::format("{} {} {} {} {} {}\n", u64(entry.from), u64(entry.to), entry.mispredicted(),
                      entry.predicted(), entry.cycles(), u64(entry.flags) >> 24 & 3);
  });
  return text;
}

std::string dumped_branches(const std::string& path) {
  std::ifstream in(path);
  std::string text, entry;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key, value;
    words >> key >> value;
    if (key == "branch_stack") inside = true, entry.clear();
    if (!inside) continue;
    if (key == "}") inside = false, text += entry + '\n';
    for (const char* wanted :
         {"from_ip:", "to_ip:", "mispredicted:", "predicted:", "cycles:", "spec:"})
      if (key == wanted) entry += (entry.empty() ? "" : " ") + value;
  }
  return text;
}

TEST_F(CorpusOracle, BranchesAreThoseOfQuippersDump) {
  const std::string folder = corpus + "google-perf_data_converter/quipper/";
  for (auto [name, dump] : {std::pair("perf.data.branch-4.14", "perf.data.branch-4.14.pb_text"),
                            std::pair("perf.data.branch_stack_spec",
                                      "perf.data.branch_stack_spec.parse.out.pb_text")}) {
    auto file = MappedFile::open(folder + name);
    ASSERT_TRUE(file);
    auto recording = Recording::open(file->bytes());
    ASSERT_TRUE(recording);
    std::string expected = dumped_branches(folder + "oracle/" + dump);
    EXPECT_GT(expected.size(), 100U);
    EXPECT_EQ(quipper_branches(*recording), expected) << name;
  }
}

TEST_F(CorpusOracle, BuildIdsAreThoseThatPerfLists) {
  int compared = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(corpus + "google-perf_data_converter/quipper")) {
    std::string list = entry.path().string();
    if (!list.ends_with(".buildids")) continue;
    auto file = MappedFile::open(list.substr(0, list.size() - 9));
    ASSERT_TRUE(file);
    auto recording = Recording::open(file->bytes());
    ASSERT_TRUE(recording);
    std::string ours;
    for (const auto& id : recording->features().build_ids)
      ours += fmt::format("{} {}\n", hex(id.id), id.path);
    std::istringstream lines(read_text(list));
    for (std::string line; std::getline(lines, line); ++compared)
      EXPECT_THAT(ours, HasSubstr(line + '\n')) << list;
  }
  EXPECT_GT(compared, 100);
}

// The program of this recording is not position independent: offsets are addresses - 0x400000.
TEST_F(CorpusOracle, RangesAreThoseOfAutofdo) {
  auto file = MappedFile::open(corpus + "google-autofdo/gzip_lbr/test.lbr");
  ASSERT_TRUE(file);
  auto recording = Recording::open(file->bytes());
  ASSERT_TRUE(recording);
  Mapping program;
  recording->for_each_other([&](const Record& record) {
    Mapping mapping;
    ReadCounts counts;
    if (record.type == RecordType::mmap && recording->parser().mapping(record, mapping, counts) &&
        mapping.path.ends_with("/test.binary"))
      program = mapping;
  });
  ASSERT_EQ(program.start, 0x400000U);
  std::map<std::pair<u64, u64>, u64> ranges;
  std::map<u64, u64> ips;
  u64 in_program = 0, from_program = 0;
  auto inside = [&](u64 address) { return address - program.start < program.size; };
  for_each_sample(*recording, [&](const Sample& sample) {
    in_program += inside(sample.ip);
    ++ips[sample.ip - program.start];
    for (size_t i = 0; i < sample.branches.size(); ++i) {
      from_program += inside(sample.branches[i].from);
      if (i + 1 == sample.branches.size()) continue;
      u64 begin = sample.branches[i + 1].to, end = sample.branches[i].from;
      if (inside(begin) && inside(end) && begin <= end)
        ++ranges[{begin - program.start, end - program.start}];
    }
  });
  EXPECT_EQ(ranges.size(), 357U);
  EXPECT_EQ((ranges[{0x4e80, 0x4e8e}]), 1134U);
  EXPECT_EQ(ips[0xfe0], 55U);
  EXPECT_EQ(ips[0x1005], 18U);
  EXPECT_EQ(in_program, 8989U);
  EXPECT_EQ(from_program, 143639U);
}

TEST_F(CorpusOracle, MalformedInputsReturnQuickly) {
  auto begin = std::chrono::steady_clock::now();
  int inputs = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(corpus + "google-perf_data_converter/fuzz")) {
    auto file = MappedFile::open(entry.path());
    ASSERT_TRUE(file);
    ++inputs;
    auto recording = Recording::open(file->bytes());
    if (recording) (void)summarize(*recording, 1);
  }
  EXPECT_EQ(inputs, 14);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

// They hold call chains or single branches, not branch stacks.
TEST_F(CorpusOracle, OtherTextsOfPerfAreRefusedWithAReason) {
  int refused = 0;
  for (const char* folder : {"brendangregg-FlameGraph", "janestreet-magic-trace"})
    for (const auto& entry : std::filesystem::directory_iterator(corpus + folder)) {
      std::string name = entry.path().filename();
      if (!entry.is_regular_file() || name == "README.md") continue;
      std::string text = read_text(entry.path());
      EXPECT_EQ(detect_script(text), ScriptKind::invalid) << name;
      bool trace =
          std::string_view(folder).starts_with("janestreet") && name != "c_demo_sampling.perf";
      EXPECT_THAT(script_problem(text),
                  HasSubstr(trace ? "trace of single branches" : "call chains"))
          << name;
      ++refused;
    }
  EXPECT_EQ(refused, 10);
}

// Counts of "PERF_RECORD_X" and of branch entries in what perf prints.
struct Dumped {
  std::map<std::string, u64> types;
  u64 branches = 0;
};

Dumped perf_dump(const std::string& path) {
  Dumped dumped;
  std::istringstream lines(test::output_of(
      "perf report -D -i '" + path +
      "' 2>/dev/null | grep -aoE ': PERF_RECORD_[A-Z0-9_]+|branch stack: nr:[0-9]+'"));
  for (std::string line; std::getline(lines, line);) {
    if (size_t at = line.find("nr:"); at != line.npos)
      dumped.branches += std::stoull(line.substr(at + 3));
    else
      ++dumped.types[line.substr(14)];
  }
  return dumped;
}

TEST_F(CorpusOracle, PerfCountsTheSame) {
  if (!test::have("perf")) GTEST_SKIP() << "perf is not installed";
  int compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    constexpr size_t quick = 400'000;
    if (!entry.is_regular_file() || entry.file_size() > quick) continue;
    auto file = MappedFile::open(entry.path());
    if (!file || !Recording::recognizes(file->bytes())) continue;
    auto recording = Recording::open(file->bytes());
    if (!recording || !recording->ending().whole) continue;
    if (recording->events()[0].attr.size > 128) continue;  // perf 6.1 does not take them
    Dumped dumped = perf_dump(entry.path());
    Summary sum = summarize(*recording, 1);
    for (auto type : {RecordType::sample, RecordType::mmap, RecordType::mmap2, RecordType::comm,
                      RecordType::fork, RecordType::exit, RecordType::lost})
      EXPECT_EQ(sum.types.of(type), dumped.types[std::string(record_type_name(type))])
          << entry.path() << ' ' << record_type_name(type);
    // It prints call stacks made of branch records in another way.
    bool call_stacks = recording->events()[0].attr.branch_sample_type & branch::call_stack;
    EXPECT_EQ(call_stacks ? 0 : sum.branches.entries, dumped.branches) << entry.path();
    ++compared;
  }
  EXPECT_GE(compared, 15);
}

}  // namespace
}  // namespace pgokit::perf
