// Recordings of many versions of perf and simpleperf against what others count in them.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/file.h"
#include "perf/summary.h"

namespace pgokit::perf {
namespace {

const std::string corpus = PGOKIT_SOURCE_DIR "/../shared/corpus/";

struct Expectation {
  std::string name, text;
};

// Sections "## name", of lines.
std::vector<Expectation> read_expectations() {
  std::ifstream in(PGOKIT_SOURCE_DIR "/test/data/recordings.txt");
  std::vector<Expectation> all;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## "))
      all.push_back({line.substr(3), ""});
    else if (!line.empty() && !line.starts_with('#'))
      all.back().text += line + '\n';
  }
  return all;
}

std::string type_counts(const TypeCounts& types) {
  std::vector<std::string> list;
  for (u32 i = 0; i < TypeCounts::types; ++i)
    if (u64 count = types.of(RecordType(i)))
      list.push_back(fmt::format("{} {}", record_type_name(RecordType(i)), count));
  std::sort(list.begin(), list.end());
  return fmt::format("records: {}\n", fmt::join(list, ", "));
}

std::string sample_fields(u64 sample_type) {
  static constexpr const char* names[] = {
      "IP",        "TID",        "TIME",   "ADDR",      "READ",      "CALLCHAIN",
      "ID",        "CPU",        "PERIOD", "STREAM_ID", "RAW",       "BRANCH_STACK",
      "REGS_USER", "STACK_USER", "WEIGHT", "DATA_SRC",  "IDENTIFIER"};
  std::vector<std::string> list;
  for (size_t i = 0; i < std::size(names); ++i)
    if (sample_type >> i & 1) list.push_back(names[i]);
  return fmt::format("{}", fmt::join(list, "|"));
}

std::string event_text(const Event& event, size_t index, u64 samples) {
  const Attr& attr = event.attr;
  std::string branches;
  if (attr.branch_sample_type)
    branches = fmt::format(" branch_sample_type {:#x}", attr.branch_sample_type);
  return fmt::format(
      "attr {}: type {} config {:#x} size {} sample_type {}{} period/freq {}, {} ids, "
      "{} samples\n",
      index, attr.type, attr.config, attr.size, sample_fields(attr.sample_type), branches,
      attr.period, event.ids.size(), samples);
}

std::string branch_text(const BranchSummary& branches) {
  std::vector<std::string> flags;
  auto flag = [&](const char* name, u64 count) {
    if (count) flags.push_back(fmt::format("{} {}", name, count));
  };
  flag("mispred", branches.mispredicted);
  flag("pred", branches.predicted);
  flag("cycles!=0", branches.with_cycles);
  flag("spec!=0", branches.speculation_known);
  flag("from_kernel", branches.from_kernel);
  flag("to_kernel", branches.to_kernel);
  flag("zero_addr", branches.zero_address);
  if (flags.empty()) flags.push_back("none");
  return fmt::format("branch entries: {} (deepest {}; samples with none {}); flags: {}\n",
                     branches.entries, branches.deepest, branches.empty_stacks,
                     fmt::join(flags, ", "));
}

std::string feature_list(const Features& features) {
  std::vector<std::string> list;
  list.reserve(features.present.size() + 1);
  for (u32 number : features.present)
    list.emplace_back(feature_name(number).empty() ? fmt::format("{}", number)
                                                   : std::string(feature_name(number)));
  if (list.empty()) list.push_back("none");
  return fmt::format("features: {}\n", fmt::join(list, ", "));
}

// In the words of the READMEs.
std::string describe(const Recording& recording, const Summary& sum) {
  std::string text = recording.is_pipe() ? "pipe mode\n" : "file mode\n";
  text += type_counts(sum.types);
  for (size_t i = 0; i < recording.events().size(); ++i)
    text += event_text(recording.events()[i], i, sum.events[i].samples);
  if (sum.branches.entries) text += branch_text(sum.branches);
  if (sum.call_chains)
    text += fmt::format("call chains: {} samples, {} entries\n", sum.call_chains,
                        sum.call_chain_entries);
  if (sum.lost_events || sum.lost_samples)
    text += fmt::format("lost: {} events in LOST records, {} in LOST_SAMPLES\n", sum.lost_events,
                        sum.lost_samples);
  if (sum.aux_announced)
    text += fmt::format("AUX: {} bytes announced by AUX records, {} bytes in AUXTRACE\n",
                        sum.aux_announced, sum.aux_bytes);
  text += fmt::format("executable maps: {}\n", sum.executable_mappings);
  text += feature_list(recording.features());
  const auto& ids = recording.features().build_ids;
  if (!ids.empty()) {
    std::string hex;
    for (u8 byte : ids[0].id) hex += fmt::format("{:02x}", byte);
    text += fmt::format("build ids: {}, {} {}\n", ids.size(), hex, ids[0].path);
  }
  return text;
}

class Corpus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(corpus)) GTEST_SKIP() << "the corpus is not here: " << corpus;
  }
};

TEST_F(Corpus, CountsAreThoseOfAnIndependentReader) {
  auto expectations = read_expectations();
  ASSERT_GE(expectations.size(), 38U);
  for (const auto& [name, text] : expectations) {
    SCOPED_TRACE(name);
    auto file = MappedFile::open(corpus + name);
    ASSERT_TRUE(file);
    auto recording = Recording::open(file->bytes());
    ASSERT_TRUE(recording) << recording.error().message;
    EXPECT_EQ(describe(*recording, summarize(*recording, 1)), text);
    EXPECT_EQ(describe(*recording, summarize(*recording, 3)), text);
  }
}

}  // namespace
}  // namespace pgokit::perf
