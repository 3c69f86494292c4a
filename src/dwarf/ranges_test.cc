#include "dwarf/ranges.h"

#include <gtest/gtest.h>

#include "dwarf/constants.h"
#include "test/support/debug_builder.h"

namespace pgokit::dwarf {
namespace {

using test::ByteBuilder;

class RangesTest : public testing::Test {
 protected:
  std::vector<Range> read(u16 version, const ByteBuilder& bytes, u64 limit = 100) {
    text_ = bytes.str();
    addresses_ = ByteBuilder().u8s(0x1000).u8s(0x1040).u8s(~u64{0}).str();
    sections_.addr = as_bytes(addresses_);
    (version < 5 ? sections_.ranges : sections_.rnglists) = as_bytes(text_);
    Unit unit;
    unit.sections = unit.address_sections = &sections_;
    unit.sizes = {version, 8, 4};
    unit.low_pc = 0x100;
    unit.address_base = 0;
    unit.rnglists_base = 12;
    CodeAttributes code;
    code.ranges = {offset_, static_cast<u16>(indexed_ ? form::rnglistx : form::sec_offset)};
    std::vector<Range> ranges;
    RangeReader(limit).read(unit, code, ranges);
    return ranges;
  }

  std::string text_, addresses_;
  Sections sections_;
  u64 offset_ = 0;
  bool indexed_ = false;
};

using Ranges = std::vector<Range>;

TEST_F(RangesTest, OldListsAreRelativeToABase) {
  ByteBuilder list;
  list.u8s(0x10).u8s(0x20);
  list.u8s(~u64{0}).u8s(0x5000);
  list.u8s(0).u8s(8);
  list.u8s(~u64{0}).u8s(~u64{0} - 1);  // what follows was removed
  list.u8s(0).u8s(8);
  list.u8s(0).u8s(0).u8s(1).u8s(2);
  EXPECT_EQ(read(4, list), Ranges({{0x110, 0x120}, {0x5000, 0x5008}}));
}

TEST_F(RangesTest, ListWithoutEndIsNone) {
  ByteBuilder list;
  list.u8s(0x10).u8s(0x20);
  EXPECT_EQ(read(4, list), Ranges());
  EXPECT_EQ(read(5, ByteBuilder().u1(range_entry::offset_pair).uleb(1).uleb(2)), Ranges());
  EXPECT_EQ(read(5, ByteBuilder().u1(77)), Ranges());
  offset_ = 1000;
  EXPECT_EQ(read(4, list), Ranges());
  EXPECT_EQ(read(5, list), Ranges());
}

TEST_F(RangesTest, EveryKindOfEntry) {
  ByteBuilder list;
  list.u1(range_entry::offset_pair).uleb(1).uleb(2);
  list.u1(range_entry::base_addressx).uleb(1);
  list.u1(range_entry::offset_pair).uleb(1).uleb(2);
  list.u1(range_entry::startx_endx).uleb(0).uleb(1);
  list.u1(range_entry::startx_length).uleb(1).uleb(4);
  list.u1(range_entry::startx_length).uleb(2).uleb(4);  // removed
  list.u1(range_entry::base_address).u8s(0x9000);
  list.u1(range_entry::offset_pair).uleb(0).uleb(300);
  list.u1(range_entry::start_end).u8s(0x10).u8s(0x20);
  list.u1(range_entry::start_length).u8s(0x30).uleb(3);
  list.u1(range_entry::base_addressx).uleb(2);  // removed
  list.u1(range_entry::offset_pair).uleb(0).uleb(300);
  list.u1(range_entry::end_of_list);
  EXPECT_EQ(read(5, list), Ranges({{0x101, 0x102},
                                   {0x1041, 0x1042},
                                   {0x1000, 0x1040},
                                   {0x1040, 0x1044},
                                   {0x9000, 0x912c},
                                   {0x10, 0x20},
                                   {0x30, 0x33}}));
}

TEST_F(RangesTest, ListsByIndex) {
  ByteBuilder table;
  table.u4(0).u2(5).u1(8).u1(0).u4(1).u4(4);
  table.u1(range_entry::offset_pair).uleb(1).uleb(2).u1(0);
  indexed_ = true;
  EXPECT_EQ(read(5, table), Ranges({{0x101, 0x102}}));
  offset_ = 1;
  EXPECT_EQ(read(5, table), Ranges());
}

TEST_F(RangesTest, AtMostSoMany) {
  ByteBuilder list;
  for (int i = 0; i < 50; ++i) list.u1(range_entry::start_length).u8s(i * 8).uleb(3);
  list.u1(0);
  EXPECT_EQ(read(5, list, 51).size(), 50u);
  EXPECT_EQ(read(5, list, 50).size(), 0u);
}

TEST(Aranges, SetsUpToTheFirstBrokenOne) {
  ByteBuilder section;
  auto set = [&](u64 unit, u64 begin, u64 size, bool ended) {
    section.u4(ended ? 60 : 44).u2(2).u4(unit).u1(8).u1(0).u4(0);
    section.u8s(begin).u8s(size).u8s(0).u8s(0);
    if (ended) section.u8s(0).u8s(0);
  };
  set(0, 0x1000, 0x10, true);  // a pair of zeros before the end is not the end
  set(100, 0x2000, 0x10, false);
  auto sets = read_aranges(as_bytes(section.str()));
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].ranges, Ranges({{0x1000, 0x1010}, {0, 0}}));
  EXPECT_EQ(sets[1].unit_offset, 100u);
  EXPECT_EQ(sets[1].ranges, Ranges({{0x2000, 0x2010}}));

  section.u4(44).u2(2).u4(0).u1(3);
  EXPECT_EQ(read_aranges(as_bytes(section.str())).size(), 2u);
}

}  // namespace
}  // namespace pgokit::dwarf
