#include "program/code_map.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "base/parallel.h"
#include "test/support/tiny_program.h"

namespace pgokit::program {
namespace {

class CodeMapTest : public testing::Test {
 protected:
  CodeIndex at(u64 address) const { return code_.index_of({address}); }

  std::string image_ = test::tiny_program().image();
  object::File file_ = *object::File::parse(as_bytes(image_));
  CodeSymbols symbols_{file_};
  CodeMap code_ = *CodeMap::build(file_, symbols_);
};

TEST_F(CodeMapTest, AddressesOutsideOfCodeHaveNoIndex) {
  EXPECT_EQ(at(0x400fff), no_code);
  EXPECT_EQ(at(0x401012), no_code);
  EXPECT_EQ(at(~u64{0}), no_code);
  EXPECT_EQ(code_.size(), 0x12u);
  EXPECT_EQ(code_.address_of(at(0x401007)).value, 0x401007u);
}

TEST_F(CodeMapTest, KnowsWhereInstructionsBegin) {
  std::string starts;
  for (u64 address = 0x401000; address < 0x401012; ++address)
    starts += code_.is_instruction(at(address)) ? '^' : '.';
  EXPECT_EQ(starts, "^.^.^..^....^^..^^");
  EXPECT_EQ(code_.length(at(0x401007)), 5u);
  EXPECT_EQ(code_.instruction_bytes({0x401001}, {0x401007}), 2u + 3 + 5);
}

TEST_F(CodeMapTest, KnowsWhatTransfersControl) {
  EXPECT_TRUE(code_.is_transfer(at(0x401002)));
  EXPECT_FALSE(code_.stops_flow(at(0x401002)));
  EXPECT_TRUE(code_.is_call(at(0x401007)));
  EXPECT_TRUE(code_.stops_flow(at(0x401007)));
  EXPECT_TRUE(code_.is_return(at(0x40100c)));
  EXPECT_FALSE(code_.is_transfer(at(0x401004)));
  EXPECT_FALSE(code_.is_transfer(at(0x401005)));
}

TEST_F(CodeMapTest, KnowsWhereDirectTransfersGo) {
  EXPECT_EQ(code_.direct_target(at(0x401007)).value, 0x401010u);
  EXPECT_EQ(code_.direct_target(at(0x401002)).value, 0x401007u);
  EXPECT_EQ(code_.direct_target(at(0x401004)).value, 0u);
  EXPECT_EQ(code_.symbol_before(at(0x401011)).value, 0x401010u);
  EXPECT_EQ(code_.symbol_before(at(0x401007)).value, 0x401000u);
}

TEST_F(CodeMapTest, Neighbours) {
  EXPECT_EQ(code_.at_or_after(at(0x401008)), at(0x40100c));
  EXPECT_EQ(code_.before(at(0x40100c)), at(0x401007));
  EXPECT_EQ(code_.before(at(0x401000)), no_code);
}

TEST_F(CodeMapTest, RangesRunStraightOnlyToWhatLeaves) {
  EXPECT_TRUE(code_.falls_through(at(0x401000), at(0x401007)));
  EXPECT_TRUE(code_.falls_through(at(0x401007), at(0x401007)));
  EXPECT_FALSE(code_.falls_through(at(0x401000), at(0x40100c)));
  EXPECT_FALSE(code_.falls_through(at(0x401007), at(0x401000)));
}

TEST_F(CodeMapTest, ThreadsSeeTheSame) {
  parallel_for(200, 4, [&](size_t, unsigned) {
    EXPECT_TRUE(code_.is_instruction(at(0x401004)));
    EXPECT_FALSE(code_.is_instruction(at(0x401005)));
    EXPECT_TRUE(code_.is_return(at(0x401011)));
  });
}

TEST(CodeMap, BytesWithoutSymbolAreNoInstructions) {
  std::string image = test::ElfBuilder()
                          .section(".text", test::tiny_code(),
                                   {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x401000})
                          .symbol("leaf", 0x401010, 2, 1)
                          .image();
  auto file = *object::File::parse(as_bytes(image));
  CodeSymbols symbols(file);
  auto code = *CodeMap::build(file, symbols);
  EXPECT_FALSE(code.is_instruction(code.index_of({0x401000})));
  EXPECT_TRUE(code.is_instruction(code.index_of({0x401010})));
  EXPECT_EQ(code.before(code.index_of({0x401010})), no_code);
}

TEST(CodeMap, SectionsThatOverlapOrWrapAreHarmless) {
  SCOPED_TRACE("a damaged file");
  test::SectionFields code_at{.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000};
  auto wrapping = code_at;
  wrapping.address = ~u64{0} - 1;
  std::string image = test::ElfBuilder()
                          .section(".text", test::tiny_code(), code_at)
                          .section(".copy", test::tiny_code(), code_at)
                          .section(".wrap", test::tiny_code(), wrapping)
                          .symbol("f", 0x1000, 2, 1)
                          .image();
  auto file = *object::File::parse(as_bytes(image));
  CodeSymbols symbols(file);
  EXPECT_EQ(CodeMap::build(file, symbols)->size(), test::tiny_code().size());
}

TEST(CodeMap, UnknownMachineIsAnError) {
  std::string image = test::tiny_program().machine(EM_S390).image();
  auto file = *object::File::parse(as_bytes(image));
  CodeSymbols symbols(file);
  EXPECT_FALSE(CodeMap::build(file, symbols));
}

}  // namespace
}  // namespace pgokit::program
