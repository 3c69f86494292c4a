#include "instr_profile/correlate/correlate.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "base/function_name.h"
#include "dwarf/constants.h"
#include "instr_profile/raw/read_raw.h"
#include "test/support/debug_builder.h"
#include "test/support/raw_builder.h"

namespace pgokit::instr_profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace attr = dwarf::attr;
namespace form = dwarf::form;
namespace tag = dwarf::tag;

constexpr u64 counters_begin = 0x5000;

struct Found {
  explicit Found(std::string elf, bool by_debug_info, u64 most_warnings = 5)
      : image(std::move(elf)), file(*object::File::parse(as_bytes(image))) {
    warnings.most = most_warnings;
    correlation = by_debug_info ? correlate_by_debug_info(file, warnings)
                                : correlate_by_sections(file, warnings);
  }
  std::string image;
  object::File file;
  CorrelationWarnings warnings;
  Result<Correlation> correlation = Correlation{};
};

test::ElfBuilder with_counters() {
  return test::ElfBuilder().section("__llvm_prf_cnts", std::string(40, '\0'),
                                    {.type = SHT_PROGBITS, .address = counters_begin});
}

std::string record(std::string_view name, u64 hash, u64 counters, u32 number) {
  test::ByteBuilder bytes;
  bytes.u8s(function_guid(name)).u8s(hash).u8s(counters).u8s(0).u8s(0).u8s(0).u4(number);
  return bytes.bytes(std::string(12, '\0')).str();
}

std::string names(std::string_view text) {
  return test::ByteBuilder().uleb(text.size()).uleb(0).bytes(text).str();
}

TEST(CorrelateBySections, FindsFunctions) {
  Found found(with_counters()
                  .section("__llvm_covdata", record("f", 7, counters_begin + 8, 2) +
                                                 record("g", 9, counters_begin, 1))
                  .section("__llvm_covnames", names("f\1g"))
                  .image(),
              false);
  ASSERT_TRUE(found.correlation) << found.correlation.error().message;
  EXPECT_THAT(found.correlation->names, ElementsAre("f", "g"));
  EXPECT_THAT(found.warnings.texts, IsEmpty());
  const auto& functions = found.correlation->functions;
  EXPECT_EQ(functions[0].counters_at, 8);
  EXPECT_EQ(functions[0].counters, 2);
  EXPECT_EQ(functions[1].hash, 9);
}

TEST(CorrelateBySections, WarnsOfCountersElsewhere) {
  Found found(with_counters()
                  .section("__llvm_covdata", record("f", 7, 8, 2) + record("g", 7, 8, 2))
                  .section("__llvm_covnames", names("f"))
                  .image(),
              false, 1);
  ASSERT_TRUE(found.correlation) << found.correlation.error().message;
  EXPECT_EQ(found.correlation->functions.size(), 1);  // the other has the same counters
  EXPECT_THAT(found.warnings.texts, ElementsAre(HasSubstr("CounterPtr out of range")));
  EXPECT_EQ(found.warnings.suppressed, 1);
}

TEST(CorrelateBySections, SaysWhatIsNotThere) {
  auto none = Found(test::ElfBuilder().image(), false).correlation;
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("could not find section (__llvm_prf_cnts)"));
  auto no_data = Found(with_counters().image(), false).correlation;
  ASSERT_FALSE(no_data);
  EXPECT_THAT(no_data.error().message, HasSubstr("could not find section (__llvm_covdata)"));
}

// A function `f` with two counters.
struct Debug {
  test::DebugBuilder d;
  u64 unit = d.abbrev(tag::compile_unit, true, {}),
      function = d.abbrev(tag::subprogram, true, {{attr::low_pc, form::addr}}),
      without_address = d.abbrev(tag::subprogram, true, {}),
      variable = d.abbrev(tag::variable, true,
                          {{attr::name, form::string}, {attr::location, form::exprloc}}),
      text = d.abbrev(tag::llvm_annotation, false,
                      {{attr::name, form::string}, {attr::const_value, form::string}}),
      number = d.abbrev(tag::llvm_annotation, false,
                        {{attr::name, form::string}, {attr::const_value, form::udata}});

  Debug() { d.begin_unit(5), d.info.uleb(unit); }
  void begin_counters(std::string_view name, u64 address) {
    d.info.uleb(variable).text(name).uleb(9).u1(dwarf::expression_op::addr).u8s(address);
  }
  void say(std::string_view name, u64 hash, u64 counters) {
    d.info.uleb(text).text("Function Name").text(name);
    d.info.uleb(number).text("CFG Hash").uleb(hash);
    d.info.uleb(number).text("Num Counters").uleb(counters);
  }
  void end() { d.info.u1(0); }
  std::string image() {
    end();
    d.end_unit();
    return with_counters()
        .section(".debug_info", d.info.str())
        .section(".debug_abbrev", d.abbrevs.str() + '\0')
        .image();
  }
};

TEST(CorrelateByDebugInfo, FindsVariablesOfCounters) {
  Debug debug;
  debug.d.info.uleb(debug.function).u8s(0x1000);
  debug.begin_counters("other", counters_begin);
  debug.say("no", 1, 1), debug.end();
  debug.begin_counters("__profc_f", counters_begin + 16);
  debug.say("f", 77, 2), debug.end();
  debug.end();
  debug.d.info.uleb(debug.without_address);
  debug.begin_counters("__profc_g", counters_begin);
  debug.say("g", 5, 1), debug.end();
  debug.end();
  Found found(debug.image(), true);
  ASSERT_TRUE(found.correlation) << found.correlation.error().message;
  EXPECT_THAT(found.correlation->names, ElementsAre("f", "g"));
  EXPECT_EQ(found.correlation->functions[0].counters_at, 16);
  EXPECT_EQ(found.correlation->functions[0].hash, 77);
  EXPECT_THAT(found.warnings.texts, ElementsAre("Could not find address of function g"));
}

TEST(CorrelateByDebugInfo, WarnsOfWhatIsIncompleteOrElsewhere) {
  Debug debug;
  debug.d.info.uleb(debug.function).u8s(0x1000);
  debug.begin_counters("__profc_f", counters_begin), debug.end();
  debug.begin_counters("__profc_g", 16);
  debug.say("g", 5, 1), debug.end();
  debug.end();
  Found found(debug.image(), true);
  ASSERT_FALSE(found.correlation);
  EXPECT_THAT(found.correlation.error().message, HasSubstr("could not find any profile data"));
  EXPECT_THAT(found.warnings.texts,
              ElementsAre(HasSubstr("Incomplete DIE"), HasSubstr("out of range for function g")));
}

TEST(CorrelatedRaw, HasTheFunctionsOfTheProgram) {
  std::string file = test::RawBuilder().file();
  Correlation correlation{
      .functions = {{function_guid("f"), 7, 0, 1}}, .names = {"f"}, .texts = {}};
  Facts facts;
  facts.correlation = &correlation;
  auto none = read_raw(as_bytes(file), facts, [](const Record&) -> Status { return {}; });
  ASSERT_FALSE(none);  // there is not even one counter in the file
  test::RawBuilder whole;
  whole.function({.name = "f", .counters = {1}});
  auto other = read_raw(as_bytes(whole.file()), facts, [](const Record&) -> Status { return {}; });
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("is not necessary"));
}

}  // namespace
}  // namespace pgokit::instr_profile
