#include "dwarf/abbrev.h"

#include <gtest/gtest.h>

#include "dwarf/constants.h"
#include "dwarf/scan.h"
#include "test/support/debug_builder.h"

namespace pgokit::dwarf {
namespace {

using test::ByteBuilder;

constexpr FormSizes sizes{5, 8, 4};

TEST(Abbrev, CodesInAnyOrder) {
  ByteBuilder table;
  for (u64 code : {3, 4, 9, 5, 1})
    table.uleb(code).uleb(code + 100).u1(0).uleb(attr::name).uleb(form::strx1).u2(0);
  table.u1(0);
  auto abbrevs = AbbrevTable::read(as_bytes(table.str()), sizes);
  for (u64 code : {1, 3, 4, 5, 9}) {
    ASSERT_NE(abbrevs.find(code), nullptr);
    EXPECT_EQ(abbrevs.find(code)->tag, code + 100);
  }
  for (u64 code : {0, 2, 6, 10}) EXPECT_EQ(abbrevs.find(code), nullptr);
}

TEST(Abbrev, BrokenTablesAreEmpty) {
  ByteBuilder cut;
  cut.uleb(1).uleb(tag::subprogram).u1(0).uleb(attr::name);
  EXPECT_EQ(AbbrevTable::read(as_bytes(cut.str()), sizes).find(1), nullptr);
  ByteBuilder half;
  half.uleb(1).uleb(tag::subprogram).u1(0).uleb(attr::name).uleb(0).u2(0).u1(0);
  EXPECT_EQ(AbbrevTable::read(as_bytes(half.str()), sizes).find(1), nullptr);
  ByteBuilder many;
  many.uleb(1).uleb(tag::subprogram).u1(0);
  for (int i = 0; i < 300; ++i) many.uleb(attr::name).uleb(form::flag_present);
  many.u2(0).u1(0);
  EXPECT_EQ(AbbrevTable::read(as_bytes(many.str()), sizes).find(1), nullptr);
}

TEST(Abbrev, TablesEndWhereTheNextBegins) {
  ByteBuilder section;
  section.uleb(1).uleb(tag::subprogram).u1(0).u2(0);
  size_t second = section.size();
  section.uleb(2).uleb(tag::subprogram).u1(0).u2(0).u1(0);
  AbbrevTables tables;
  auto slots = tables.add(as_bytes(section.str()), {{0, sizes}, {second, sizes}, {second, sizes}});
  EXPECT_EQ(slots[0]->get().find(1), nullptr);  // broken off
  EXPECT_NE(slots[1]->get().find(2), nullptr);
  EXPECT_EQ(slots[1], slots[2]);
}

// Stepping over an entry by its plan ends where reading its attributes one by one ends.
TEST(Abbrev, PlansEqualReading) {
  ByteBuilder value, table;
  table.uleb(1).uleb(tag::compile_unit).u1(1).u2(0);
  table.uleb(2).uleb(0x34).u1(0);
  auto with = [&](u16 f, u16 attribute = 1) { table.uleb(attribute).uleb(f); };
  with(form::data1), value.u1(1);
  with(form::strp), value.u4(1);
  with(form::string, attr::name), value.text("text");
  with(form::udata, attr::decl_line), value.uleb(300);
  with(form::sdata, attr::call_line), value.bytes("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
  with(form::block1), value.u1(3).bytes("abc");
  with(form::block2), value.u2(2).bytes("ab");
  with(form::block4), value.u4(1).bytes("a");
  with(form::exprloc), value.uleb(2).bytes("ab");
  with(form::data16), value.u8s(0).u8s(0);
  with(form::strx3), value.u2(0).u1(0);
  with(form::flag_present);
  with(form::ref_sig8), value.u8s(0);
  with(form::implicit_const, attr::call_file), table.u1(0x7f);
  table.u2(0);
  table.uleb(3).uleb(0x35).u1(0).uleb(1).uleb(form::indirect).uleb(2).uleb(form::addr).u2(0);
  table.uleb(4).uleb(tag::subprogram).u1(0).u2(0).u1(0);

  ByteBuilder info;
  info.u4(0).u2(5).u1(1).u1(8).u4(0).uleb(1);
  info.uleb(2).bytes(value.str());
  info.uleb(3).uleb(form::udata).uleb(1000).u8s(1);
  size_t wanted = info.size();
  info.uleb(4).u1(0);
  info.set_u4(0, info.size() - 4);

  Sections sections;
  sections.info = as_bytes(info.str());
  sections.abbrev = as_bytes(table.str());
  u64 broken = 0;
  auto units = read_units(sections, broken);
  AbbrevTables tables;
  assign_abbrevs(units, tables);
  read_unit_entry(units[0]);
  ASSERT_TRUE(units[0].usable);
  size_t found = 0;
  EntryScanner(units[0]).run([](const Abbrev& a) { return a.tag == tag::subprogram; },
                             [&](const Entry&, u64 offset, Nesting nesting) {
                               found = offset;
                               EXPECT_EQ(nesting.depth, 1u);
                             });
  EXPECT_EQ(found, wanted);
  Entry entry = entry_at(units[0], 13);
  ASSERT_TRUE(entry);
  EXPECT_EQ(find(entry, {attr::call_file}).raw, ~u64{0});
  EXPECT_EQ(as_constant(find(entry, {attr::decl_line})), 300u);
  EXPECT_EQ(as_constant(find(entry, {attr::call_line})), std::nullopt);
  EXPECT_EQ(as_text(units[0], find(entry, {attr::name})), "text");
}

}  // namespace
}  // namespace pgokit::dwarf
