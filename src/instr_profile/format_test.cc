#include "instr_profile/format.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "base/function_name.h"
#include "instr_profile/indexed/write_indexed.h"
#include "instr_profile/model/in_order.h"
#include "instr_profile/text/write_text.h"

namespace pgokit::instr_profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view all_of_it = R"(# CSIR level Instrumentation Flag
:csir
# Always instrument the function entry block
:entry_first
:temporal_prof_traces
# Num Temporal Profile Traces:
1
# Temporal Profile Trace Stream Size:
3
# Weight:
2
main,a.c;f,

a.c;f
# Func Hash:
1152921504606846977
# Num Counters:
2
# Counter Values:
4
18446744073709551613

main
# Func Hash:
5
# Num Counters:
1
# Counter Values:
0
# Num Bitmap Bytes:
$2
# Bitmap Byte Values:
0x17
0x0

# Num Value Kinds:
2
# ValueKind = IPVK_IndirectCallTarget:
0
# NumValueSites:
2
2
a.c;f:7
** External Symbol **:1
0
# ValueKind = IPVK_MemOPSize:
1
# NumValueSites:
1
1
16:3

)";

Result<Profile> profile_of(std::string_view file) {
  Profile profile;
  Facts facts;
  auto status = read(as_bytes(file), facts, [&](const Record& record) -> Status {
    auto at =
        profile.find_or_add(profile.names.intern(record.name), record.hash, record.counters.size());
    std::ranges::copy(record.counters, profile.counters_of(at.index).begin());
    auto& function = profile.functions[at.index];
    function.first_bitmap_byte = profile.bitmap.size();
    function.bitmap_bytes = static_cast<u32>(record.bitmap.size());
    profile.bitmap.insert(profile.bitmap.end(), record.bitmap.begin(), record.bitmap.end());
    if (!record.values) return {};
    function.values = static_cast<u32>(profile.values.size());
    auto& values = profile.values.emplace_back();
    values.sites = record.values->sites;
    for (u16 size : record.values->sizes) values.sizes.emplace_back(size);
    for (auto value : record.values->values) values.values.emplace_back(value);
    return {};
  });
  if (!status) return std::unexpected(status.error());
  profile.kind = facts.kind;
  profile.traces = facts.traces;
  profile.traces_seen = facts.traces_seen;
  const auto& memory = facts.memory;
  profile.memory = {std::string(memory.bytes), memory.begin, memory.is_empty};
  for (auto id : facts.binary_ids) profile.binary_ids.emplace_back(id);
  return profile;
}

std::string text_of(const Profile& profile) {
  std::string text;
  write_text(profile, false, [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(InstrFormat, TextIsWrittenAsItWasRead) {
  auto profile = profile_of(all_of_it);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(text_of(*profile), all_of_it);
}

TEST(InstrFormat, IndexedHoldsTheSame) {
  auto profile = profile_of(all_of_it);
  ASSERT_TRUE(profile);
  profile->binary_ids = {"0123456789", "01"};
  auto bytes = write_indexed(*profile, false);
  auto again = profile_of(bytes);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(text_of(*again), all_of_it);
  EXPECT_THAT(again->binary_ids, ElementsAre("01", "0123456789"));
  EXPECT_EQ(write_indexed(*again, false), bytes);
}

TEST(InstrFormat, SparseLeavesOutWhatDidNotRun) {
  auto profile = profile_of("f\n1\n1\n0\nf\n2\n1\n3\ng\n1\n1\n0\n");
  ASSERT_TRUE(profile);
  std::string text;
  write_text(*profile, true, [&](std::string_view piece) { text += piece; });
  EXPECT_THAT(text, HasSubstr("f\n# Func Hash:\n1\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("g\n")));
}

TEST(InstrFormat, TextTakesCommentsCasesAndBases) {
  auto profile = profile_of("# a comment\r\n:IR\r\n\nf\n0x10\n# n\n1\n2\n$1\n0b11\n");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->kind, Kind::ir);
  EXPECT_EQ(profile->functions[0].hash, 16);
  EXPECT_EQ(profile->bitmap[0], 3);
}

TEST(InstrFormat, BadTextSaysWhatAndWhere) {
  struct Case {
    std::string_view text, problem;
  };
  for (auto [text, problem] :
       {Case{":no\n", "file header is corrupt"}, Case{"f\n", "truncated profile data (offset 0x2)"},
        Case{"f\nx\n", "function hash is not a valid integer (offset 0x2"},
        Case{"f\n1\nx\n", "number of counters is not a valid integer"},
        Case{"f\n1\n0\n", "number of counters is zero"},
        Case{"f\n1\n9999999999999\n1\n", "truncated"}, Case{"f\n1\n1\n-1\n", "count is invalid"},
        Case{"f\n1\n1\n1\n$x\n", "number of bitmap bytes"},
        Case{"f\n1\n1\n1\n$1\n256\n", "bitmap byte is not a valid integer"},
        Case{"f\n1\n1\n1\n4\n", "number of value kinds is invalid"},
        Case{"f\n1\n1\n1\n1\n3\n1\n", "value kind is invalid"},
        Case{"f\n1\n1\n1\n2\n1\n0\n1\n0\n", "value kind is invalid"},
        Case{"f\n1\n1\n1\n1\n1\n1\n1\nx:1\n", "value is invalid"},
        Case{"f\n1\n1\n1\n1\n0\n1\n1\ng\n", "value is invalid"},
        Case{":temporal_prof_traces\n2\n1\n1\nf,\n", "truncated"}}) {
    auto profile = profile_of(text);
    ASSERT_FALSE(profile) << text;
    EXPECT_THAT(profile.error().message, HasSubstr(problem)) << text;
  }
}

TEST(InstrFormat, EveryCutOfAnIndexedFileIsAnErrorOrTheWhole) {
  auto profile = profile_of(all_of_it);
  ASSERT_TRUE(profile);
  auto bytes = write_indexed(*profile, false);
  for (size_t size = 1; size < bytes.size(); ++size)
    EXPECT_FALSE(profile_of(bytes.substr(0, size))) << size;
}

TEST(InstrFormat, OldAndNewVersions) {
  auto profile = profile_of("f\n1\n1\n3\n");
  ASSERT_TRUE(profile);
  auto bytes = write_indexed(*profile, false);
  for (char version : {'\3', '\16'}) {
    bytes[8] = version;
    auto read = profile_of(bytes);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("unsupported"));
  }
}

// In an indexed file whose version says that it has one.
// Version 3: call stacks, functions and their table of two buckets, one of which is empty.
Profile::Memory memory_at(u64 begin) {
  std::string bytes;
  auto put = [&](u64 number) {
    Le<u64> little(number);
    bytes.append(reinterpret_cast<const char*>(&little), sizeof little);
  };
  for (u64 number : {u64{3}, begin + 32, begin + 40, begin + 48, u64{77}, u64{88}, u64{2}, u64{1},
                     u64{0}, begin + 40})
    put(number);
  return {bytes, begin, false};
}

TEST(InstrFormat, MemoryProfilesMoveAsTheyAre) {
  auto profile = profile_of(":ir\nf\n1\n1\n3\n");
  ASSERT_TRUE(profile);
  auto without = write_indexed(*profile, false);
  profile->kind |= Kind::memory;
  profile->memory = memory_at(0x123450);
  auto bytes = write_indexed(*profile, false);
  EXPECT_EQ(bytes.size(), without.size() + profile->memory.bytes.size());
  auto read = profile_of(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->kind & Kind::memory);
  EXPECT_FALSE(read->memory.is_empty);
  EXPECT_EQ(read->memory.bytes, memory_at(read->memory.begin).bytes);
  EXPECT_EQ(write_indexed(*read, false), bytes);
}

TEST(InstrFormat, DamagedMemoryProfiles) {
  constexpr u64 begin = 0x1000;
  auto whole = memory_at(begin).bytes;
  EXPECT_TRUE(read_memory(as_bytes(whole), begin));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_memory(as_bytes(whole).first(size), begin)) << size;
  for (size_t number : {0, 1, 2, 3, 6, 9}) {
    auto damaged = whole;
    damaged[8 * number + 7] = '\x7f';
    EXPECT_FALSE(read_memory(as_bytes(damaged), begin)) << number;
  }
}

TEST(InstrFormat, IsRecognizedByContent) {
  EXPECT_EQ(form_of(as_bytes(all_of_it)), Form::text);
  EXPECT_TRUE(looks_like_instr_text(as_bytes(all_of_it)));
  EXPECT_TRUE(looks_like_instr_text(as_bytes("f\n1\n1\n0\n")));
  for (std::string_view other : {"f:10:1\n 1: 5\n", "[a]\n1\n", "1\n860-871:193\n0\n", "f 1 2\n"})
    EXPECT_FALSE(looks_like_instr_text(as_bytes(other))) << other;
  EXPECT_FALSE(form_of(as_bytes("\1\2\3")));
  Facts facts;
  EXPECT_FALSE(read({}, facts, [](const Record&) -> Status { return {}; }));
}

// Those of one name are listed as llvm-profdata 22 lists them.
TEST(InstrFormat, HashesAreInTheOrderOfLlvmsTable) {
  EXPECT_THAT(hash_table_order(std::vector<u64>{5}), ElementsAre(0));
  std::vector<u64> hashes;
  for (u64 i = 1; i < 40; i += 4) hashes.push_back(i * 7919 * 7919 * 104729);
  std::vector<u64> listed;
  for (u32 i : hash_table_order(hashes)) listed.push_back(hashes[i]);
  EXPECT_THAT(listed, ElementsAre(0x4da6d828bde5, 0x658b69705ac9, 0x7d6ffab7f7ad, 0x1dddb599841d,
                                  0x35c246e12101, 0xdd023fd66b3d, 0x5f92451e739, 0x95548bff9491,
                                  0xc51dae8ece59, 0xad391d473175));
}

}  // namespace
}  // namespace pgokit::instr_profile
