#include "dwarf/line_table.h"

#include <gtest/gtest.h>

#include "dwarf/constants.h"
#include "test/support/debug_builder.h"

namespace pgokit::dwarf {
namespace {

using test::ByteBuilder;

class LineTableTest : public testing::Test {
 protected:
  // A header of version 4 with two files, then the program.
  LineTable read(const ByteBuilder& program, u64 max_operations = 1) {
    ByteBuilder head;
    head.u1(1).u1(max_operations).u1(1).u1(0xfb).u1(14).u1(13);  // line_base -5
    head.bytes(std::string_view("\0\1\1\1\1\0\0\0\1\0\0\1", 12));
    head.text("include").u1(0);
    head.text("a.c").uleb(0).uleb(0).uleb(0).text("b.h").uleb(1).uleb(0).uleb(0).u1(0);
    ByteBuilder table;
    table.u4(2 + 4 + head.size() + program.size()).u2(4).u4(head.size());
    return read_table(table.bytes(head.str()).bytes(program.str()));
  }

  LineTable read_table(const ByteBuilder& table) {
    text_ = table.str();
    sections_.line = as_bytes(text_);
    unit_.sections = unit_.address_sections = &sections_;
    unit_.sizes = {4, 8, 4};
    return LineTable::read(unit_, as_bytes(text_));
  }

  static ByteBuilder at(u64 address) {
    ByteBuilder program;
    program.u1(0).uleb(9).u1(line_op::set_address).u8s(address);
    return program;
  }
  static ByteBuilder end_sequence() { return ByteBuilder().u1(0).uleb(1).u1(1); }

  std::string text_;
  Sections sections_;
  Unit unit_;
};

// opcode - 13 = line change + 5 + 14 * address change
u64 special(int line, unsigned address) { return 13 + line + 5 + 14 * address; }

TEST_F(LineTableTest, RowsAndSequences) {
  auto program = at(0x1000);
  program.u1(line_op::copy);
  program.u1(0).uleb(2).u1(line_op::set_discriminator).uleb(9);
  program.u1(line_op::set_column).uleb(3).u1(special(+4, 4));
  program.u1(line_op::set_file).uleb(2).u1(line_op::advance_pc).uleb(4);
  program.u1(line_op::advance_line).u1(0x7e).u1(line_op::copy);
  program.u1(line_op::const_add_pc)
      .u1(line_op::fixed_advance_pc)
      .u2(15)
      .bytes(end_sequence().str());
  program.bytes(at(0x800).str()).u1(line_op::copy).u1(line_op::advance_pc).uleb(4);
  program.bytes(end_sequence().str());
  auto table = read(program);

  EXPECT_EQ(table.find(0x0fff).row, nullptr);
  EXPECT_EQ(table.find(0x0fff).range, (Range{0x804, 0x1000}));
  EXPECT_EQ(table.find(0x1003).row->line, 1u);
  auto second = table.find(0x1004);
  EXPECT_EQ(second.row->line, 5u);
  EXPECT_EQ(second.row->column, 3u);
  EXPECT_EQ(second.row->discriminator, 9u);
  EXPECT_EQ(second.range, (Range{0x1004, 0x1008}));
  auto third = table.find(0x1010);
  EXPECT_EQ(third.row->line, 3u);
  EXPECT_EQ(third.row->discriminator, 0u);  // for one row only
  EXPECT_EQ(third.range, (Range{0x1008, 0x1008 + 17 + 15}));
  EXPECT_EQ(table.find(third.range.end).row, nullptr);
  EXPECT_EQ(table.find(0x803).row->line, 1u);
  EXPECT_TRUE(table.has_discriminators());
  EXPECT_EQ(table.file_name(1, "/dir"), "/dir/a.c");
  EXPECT_EQ(table.file_name(third.row->file, "/dir"), "/dir/include/b.h");
  EXPECT_EQ(table.file_name(0, "/dir"), "");
  EXPECT_EQ(table.file_name(3, "/dir"), "");
}

TEST_F(LineTableTest, LastRowAtAnAddressCountsAndEqualRowsAreOne) {
  auto program = at(0x1000);
  program.u1(special(1, 0)).u1(special(1, 0)).u1(special(0, 4)).u1(special(0, 4));
  program.u1(special(1, 4)).u1(line_op::advance_pc).uleb(4).bytes(end_sequence().str());
  auto table = read(program);
  EXPECT_EQ(table.find(0x1000).row->line, 3u);
  EXPECT_EQ(table.find(0x1000).range, (Range{0x1000, 0x100c}));
  EXPECT_EQ(table.find(0x100c).row->line, 4u);
}

TEST_F(LineTableTest, RemovedAndBrokenSequencesAreLeftOut) {
  auto program = at(~u64{0});
  program.u1(special(1, 0)).u1(special(1, 4)).bytes(end_sequence().str());
  program.bytes(at(0x2000).str()).u1(special(1, 0)).bytes(at(0x1000).str()).u1(special(1, 0));
  program.u1(line_op::advance_pc).uleb(4).bytes(end_sequence().str());
  program.bytes(at(0x3000).str()).u1(special(1, 0));  // without end
  auto table = read(program);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(0x1000).row, nullptr);
}

TEST_F(LineTableTest, RowOfUnknownFileTellsNothing) {
  auto program = at(0x1000);
  program.u1(line_op::set_file).uleb(9).u1(special(7, 0));
  program.u1(line_op::advance_pc).uleb(4).bytes(end_sequence().str());
  auto table = read(program);
  ASSERT_NE(table.find(0x1000).row, nullptr);
  EXPECT_EQ(table.find(0x1000).row->line, 0u);
}

TEST_F(LineTableTest, SeveralOperationsInAnInstruction) {
  auto program = at(0x1000);
  program.u1(line_op::copy).u1(line_op::advance_pc).uleb(7).u1(special(1, 0));
  program.u1(line_op::advance_pc).uleb(1).u1(special(1, 0));
  program.u1(line_op::advance_pc).uleb(8).bytes(end_sequence().str());
  auto table = read(program, 4);
  EXPECT_EQ(table.find(0x1001).row->line, 2u);
  EXPECT_EQ(table.find(0x1002).row->line, 3u);
  EXPECT_EQ(table.find(0x1003).range.end, 0x1004u);
}

TEST_F(LineTableTest, FileNamesOfVersion5) {
  ByteBuilder head;
  head.u1(1).u1(1).u1(1).u1(0xfb).u1(14).u1(1);
  head.u1(1).uleb(1).uleb(form::string).uleb(2).text("/home").text("sub");
  head.u1(3).uleb(1).uleb(form::string).uleb(2).uleb(form::udata).uleb(5).uleb(form::data16);
  head.uleb(2).text("a.c").uleb(0).u8s(0).u8s(0).text("b.c").uleb(1).u8s(0).u8s(0);
  ByteBuilder table;
  table.u4(2 + 2 + 4 + head.size()).u2(5).u1(8).u1(0).u4(head.size()).bytes(head.str());
  auto lines = read_table(table);
  EXPECT_EQ(lines.file_name(0, "/home"), "/home/a.c");
  EXPECT_EQ(lines.file_name(1, "/home"), "/home/sub/b.c");
  EXPECT_EQ(lines.file_name(2, "/home"), "");
}

TEST_F(LineTableTest, NoCountMakesNamesOutOfNothing) {
  ByteBuilder head;
  head.u1(1).u1(1).u1(1).u1(0xfb).u1(14).u1(1);
  head.u1(1).uleb(1).uleb(form::flag_present).uleb(~u64{0});
  ByteBuilder table;
  table.u4(2 + 2 + 4 + head.size()).u2(5).u1(8).u1(0).u4(head.size()).bytes(head.str());
  EXPECT_EQ(read_table(table).file_name(1, "/"), "");
}

TEST_F(LineTableTest, HeaderCutShort) {
  EXPECT_TRUE(read_table(ByteBuilder().u4(100).u2(4)).empty());
  EXPECT_TRUE(read_table(ByteBuilder().u4(2).u2(9)).empty());
  EXPECT_TRUE(read_table(ByteBuilder()).empty());
}

}  // namespace
}  // namespace pgokit::dwarf
