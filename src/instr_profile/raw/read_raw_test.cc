#include "instr_profile/raw/read_raw.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "test/support/raw_builder.h"

namespace pgokit::instr_profile {
namespace {

using test::RawBuilder;
using test::RawShape;
using testing::ElementsAre;
using testing::HasSubstr;

struct Copy {
  std::string name;
  u64 hash;
  std::vector<u64> counters;
  std::vector<u8> bitmap;
  std::vector<u64> values;  // value, count, value, count...
};

Result<std::vector<Copy>> functions_of(std::string_view file, Facts& facts) {
  std::vector<Copy> functions;
  auto status = read_raw(as_bytes(file), facts, [&](const Record& record) -> Status {
    Copy copy{std::string(record.name), record.hash, {}, {}, {}};
    copy.counters.assign(record.counters.begin(), record.counters.end());
    copy.bitmap.assign(record.bitmap.begin(), record.bitmap.end());
    if (record.values)
      for (auto [value, count] : record.values->values)
        copy.values.insert(copy.values.end(), {value, count});
    functions.push_back(std::move(copy));
    return {};
  });
  if (!status) return std::unexpected(status.error());
  return functions;
}
Result<std::vector<Copy>> functions_of(std::string_view file) {
  Facts facts;
  return functions_of(file, facts);
}

std::string two_functions(const RawShape& shape) {
  RawBuilder raw(shape);
  raw.function({.name = "main", .hash = 7, .counters = {3, 0, 5}, .address = 0x1000});
  raw.function({.name = "a.c;f",
                .hash = u64{1} << 62,
                .counters = {9},
                .address = 0x2000,
                .sites = {{{{{0x1000, 4}, {0x9999, 1}}}, {{{16, 2}}, {}}, {}}}});
  return raw.file();
}

TEST(ReadRaw, AllVersionsOrdersAndPointerSizes) {
  for (u32 version : {7u, 8u, 9u, 10u})
    for (bool big : {false, true})
      for (size_t pointer : {4, 8}) {
        Facts facts;  // of what is in the file
        auto file = two_functions({.version = version,
                                   .big_endian = big,
                                   .pointer_size = pointer,
                                   .binary_id = "abcdefghij"});
        auto functions = functions_of(file, facts);
        ASSERT_TRUE(functions) << version << big << pointer << functions.error().message;
        ASSERT_EQ(functions->size(), 2);
        EXPECT_EQ((*functions)[0].name, "main");
        EXPECT_EQ((*functions)[0].hash, 7);
        EXPECT_THAT((*functions)[0].counters, ElementsAre(3, 0, 5));
        EXPECT_EQ((*functions)[1].name, "a.c;f");
        EXPECT_THAT((*functions)[1].values, ElementsAre(function_guid("main"), 4, 0, 1, 16, 2));
        EXPECT_THAT(facts.binary_ids, ElementsAre("abcdefghij"));
        EXPECT_EQ(facts.kind, Kind::ir);
      }
}

TEST(ReadRaw, BitmapsAndBytesOfCoverage) {
  RawBuilder bits({.version = 9, .kind = 0});
  bits.function({.name = "f", .counters = {1}, .bitmap = {0x17, 0x80}});
  auto functions = functions_of(bits.file());
  ASSERT_TRUE(functions);
  EXPECT_THAT((*functions)[0].bitmap, ElementsAre(0x17, 0x80));
  RawBuilder bytes({.kind = Kind::ir | Kind::byte_coverage});
  bytes.function({.name = "f", .counters = {1, 0, 1}});
  functions = functions_of(bytes.file());
  ASSERT_TRUE(functions);
  EXPECT_THAT((*functions)[0].counters, ElementsAre(1, 0, 1));
}

TEST(ReadRaw, TimesBecomeATrace) {
  RawBuilder raw({.kind = Kind::ir | Kind::temporal});
  raw.function({.name = "second", .counters = {20, 1}});
  raw.function({.name = "never", .counters = {0, 0}});
  raw.function({.name = "first", .counters = {10, 1}});
  Facts facts;
  auto functions = functions_of(raw.file(), facts);
  ASSERT_TRUE(functions);
  EXPECT_THAT((*functions)[0].counters, ElementsAre(1));
  ASSERT_EQ(facts.traces.size(), 1);
  EXPECT_THAT(facts.traces[0].functions,
              ElementsAre(function_guid("first"), function_guid("second")));
}

TEST(ReadRaw, CoveredEntriesHaveNoTimes) {
  RawBuilder raw({.kind = Kind::ir | Kind::temporal | Kind::byte_coverage | Kind::entry_only});
  raw.function({.name = "ran", .counters = {1}});
  raw.function({.name = "never", .counters = {0}});
  Facts facts;
  auto functions = functions_of(raw.file(), facts);
  ASSERT_TRUE(functions) << functions.error().message;
  EXPECT_THAT((*functions)[0].counters, ElementsAre(1));
  EXPECT_THAT((*functions)[1].counters, ElementsAre(0));
  EXPECT_TRUE(facts.traces.empty());
  EXPECT_FALSE(facts.kind & Kind::temporal);
  EXPECT_THAT(facts.warning, HasSubstr("-pgo-function-entry-coverage"));

  Facts as_llvm;
  as_llvm.as_llvm = true;
  functions = functions_of(raw.file(), as_llvm);
  ASSERT_TRUE(functions);
  EXPECT_TRUE((*functions)[0].counters.empty());
  EXPECT_EQ(as_llvm.traces.size(), 1);
  EXPECT_EQ(as_llvm.warning, "");
}

TEST(ReadRaw, SeveralProfilesInOneFile) {
  auto one = two_functions({});
  auto functions = functions_of(one + std::string(24, '\0') + one);
  ASSERT_TRUE(functions);
  EXPECT_EQ(functions->size(), 4);
  EXPECT_FALSE(functions_of(one + "x"));
  EXPECT_FALSE(functions_of(one + two_functions({.big_endian = true})));
}

TEST(ReadRaw, StrangeCountsAreTold) {
  RawBuilder raw;
  raw.function({.name = "f", .counters = {u64{1} << 57}});
  Facts facts;
  ASSERT_TRUE(functions_of(raw.file(), facts));
  EXPECT_THAT(facts.warning, HasSubstr("144115188075855872"));
}

TEST(ReadRaw, EveryCutIsAnErrorWithItsPlace) {
  auto file = two_functions({.binary_id = "abcd"});
  for (size_t size = 8; size < file.size(); ++size) {
    auto functions = functions_of(file.substr(0, size));
    ASSERT_FALSE(functions) << size;
    EXPECT_THAT(functions.error().message, HasSubstr("offset 0x")) << size;
  }
}

TEST(ReadRaw, DamageIsFound) {
  auto file = two_functions({});
  auto with = [&](size_t at, u64 value, size_t size) {
    auto damaged = file;
    std::memcpy(damaged.data() + at, &value, size);
    auto functions = functions_of(damaged);
    return functions ? std::string() : functions.error().message;
  };
  constexpr size_t data = 128;
  EXPECT_THAT(with(8, 77, 4), HasSubstr("raw profile version mismatch"));
  EXPECT_THAT(with(24, ~u64{0}, 8), HasSubstr("file header is corrupt"));
  EXPECT_THAT(with(40, ~u64{0} / 8, 8), HasSubstr("file header is corrupt"));
  EXPECT_THAT(with(data + 16, 0, 8), HasSubstr("3 counters of function 0"));
  EXPECT_THAT(with(data + 48, 0, 4), HasSubstr("number of counters is zero"));
  EXPECT_THAT(with(data + 48, 5, 4), HasSubstr("5 counters of function 0"));
  EXPECT_THAT(with(data + 60, 5, 4), HasSubstr("5 bitmap bytes of function 0"));
}

}  // namespace
}  // namespace pgokit::instr_profile
