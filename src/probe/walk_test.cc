#include "probe/walk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/function_name.h"
#include "probe/address_index.h"
#include "probe/section_builder.h"
#include "probe/stats.h"

namespace pgokit::probe {
namespace {

std::optional<u64> address_of(u64 guid) {
  if (guid == function_guid("main")) return 0x1000;
  if (guid == function_guid("main.cold")) return 0x3000;
  return std::nullopt;
}

// What a visitor is told, one word per event.
struct Log {
  std::string text;
  void begin(const RecordHead& head) {
    text += fmt::format("{}{}{}:{:#x} ", head.is_part() ? "part" : "begin", head.located ? "" : "?",
                        head.absolute ? "!" : "", head.base);
  }
  void enter(const RawNode& node) { text += fmt::format("({} ", node.call_site); }
  void probe(const RawProbe& raw, u64 address) {
    text += raw.is_sentinel() ? "s " : fmt::format("{}@{:x} ", raw.index, address);
  }
  void leave() { text += ") "; }
};

SectionBuilder split_function() {
  SectionBuilder out;
  out.record("main", 2, 1).probe(1, 0, 0).probe(2, 2, 5);
  out.inlinee(2, "leaf", 1, 0).probe(1, 0, -1);
  out.record("main", 2, 0).sentinel("main.cold").probe(3, 0, 4);
  out.record("gone", 1, 0).probe(1, 0, 2);
  return out;
}

TEST(Walk, TellsRecordsWithTheirPlaces) {
  Log log;
  SectionBuilder section = split_function();
  EXPECT_EQ(walk_section(section.bytes(), address_of, log), std::nullopt);
  EXPECT_EQ(log.text,
            "begin:0x1000 (0 1@1000 2@1005 (2 1@1004 ) ) "
            "part:0x3000 (0 s 3@3004 ) "
            "begin?:0x3004 (0 1@3006 ) ");
}

TEST(Walk, AbsoluteAddressesNeedNoSymbol) {
  Log log;
  SectionBuilder section;
  section.record("old", 2, 0).absolute(1, 0, 0x5000).probe(2, 0, 3);
  section.record("main", 1, 0).probe(1, 0, 1);
  EXPECT_EQ(walk_section(section.bytes(), address_of, log), std::nullopt);
  EXPECT_EQ(log.text, "begin!:0x0 (0 1@5000 2@5003 ) begin!:0x1000 (0 1@5004 ) ");
}

TEST(Walk, NamesTheRecordThatIsCutOff) {
  SectionBuilder section = split_function();
  u64 start = 0;
  {
    SectionBuilder before;
    before.record("main", 2, 1).probe(1, 0, 0).probe(2, 2, 5);
    before.inlinee(2, "leaf", 1, 0).probe(1, 0, -1);
    before.record("main", 2, 0).sentinel("main.cold").probe(3, 0, 4);
    start = before.bytes().size();
  }
  section.drop_last(1);
  Log log;
  EXPECT_EQ(walk_section(section.bytes(), address_of, log), start);
  // However it is cut: an offset inside, and no more.
  for (size_t size = 0; size < section.bytes().size(); ++size) {
    Log part;
    auto broken = walk_section(section.bytes().first(size), address_of, part);
    if (broken) {
      EXPECT_LT(*broken, size);
    }
  }
}

std::vector<std::string> listed(const AddressIndex& index, u64 address) {
  std::vector<std::string> out;
  for (auto entry : index.from(address)) {
    if (index.address(entry) > address) break;
    std::vector<AddressIndex::Frame> frames;
    index.append_context(entry, frames);
    std::string text;
    for (const auto& frame : frames)
      text += fmt::format("{}:{} ",
                          frame.guid == function_guid("main")   ? "main"
                          : frame.guid == function_guid("leaf") ? "leaf"
                                                                : "?",
                          frame.id);
    out.push_back(text);
  }
  return out;
}

TEST(AddressIndex, FindsProbesAndTheirContexts) {
  SectionBuilder first = split_function(), second;
  second.record("main", 1, 1).probe(7, 0, 4);
  second.inlinee(7, "leaf", 0, 1).inlinee(0, "main", 1, 0).probe(8, 1, 0);
  AddressIndex::Part parts[] = {
      {first.bytes(), address_of}, {{}, address_of}, {second.bytes(), address_of}};
  AddressIndex index = AddressIndex::build(parts, 0x1000);
  EXPECT_EQ(index.entries().size(), 7u);
  EXPECT_EQ(listed(index, 0x1004),
            (std::vector<std::string>{"main:2 leaf:1 ", "main:7 ", "main:7 leaf:0 main:8 "}));
  EXPECT_EQ(listed(index, 0x3004), std::vector<std::string>{"main:3 "});
  EXPECT_TRUE(listed(index, 0x1001).empty());
  EXPECT_EQ(index.probe(index.from(0x1005).front()).index, 2u);
  EXPECT_EQ(index.from(0xfff).size(), 7u);
  EXPECT_EQ(index.from(0x1005).size(), 3u);
  EXPECT_EQ(index.outside(), 0u);
}

TEST(AddressIndex, LeavesOutWhatIsFarAway) {
  SectionBuilder section;
  section.record("main", 3, 0).probe(1, 0, -1).probe(2, 0, i64{1} << 32).probe(3, 0, 1);
  AddressIndex::Part parts[] = {{section.bytes(), address_of}};
  AddressIndex index = AddressIndex::build(parts, 0x1000);
  EXPECT_EQ(index.entries().size(), 1u);
  EXPECT_EQ(index.outside(), 2u);
  EXPECT_TRUE(index.from(~u64{0}).empty());
}

TEST(AddressIndex, TakesLessThanFourTimesTheSection) {
  SectionBuilder dense, nodes;
  dense.record("main", 30000, 0);
  for (int i = 0; i < 30000; ++i) dense.probe(1, 0, 0);
  nodes.record("main", 0, 10000);
  for (int i = 0; i < 10000; ++i) nodes.inlinee(1, "leaf", 0, 0);
  for (const auto* section : {&dense, &nodes}) {
    AddressIndex::Part parts[] = {{section->bytes(), address_of}};
    AddressIndex index = AddressIndex::build(parts, 0x1000);
    EXPECT_LT(index.memory(), 4 * section->bytes().size());
  }
}

TEST(Stats, CountsKindsCopiesAndWhatIsMissing) {
  SectionBuilder names;
  names.descriptor("main", 1).descriptor("unused", 2);
  SectionBuilder section = split_function();
  section.record("main", 1, 1).probe_with_discriminator(9, 1, 0, 3);
  section.inlinee(0, "leaf", 1, 0).probe(4, 0, 0);
  Stats stats;
  EXPECT_EQ(stats.add(section.bytes(), address_of), std::nullopt);
  stats.finish(Descriptors::read(names.bytes()));
  EXPECT_EQ(stats.records, 4u);
  EXPECT_EQ(stats.parts, 1u);
  EXPECT_EQ(stats.without_symbol, 1u);
  EXPECT_EQ(stats.blocks, 5u);
  EXPECT_EQ(stats.direct_calls, 1u);
  EXPECT_EQ(stats.indirect_calls, 1u);
  EXPECT_EQ(stats.probes(), 7u);
  EXPECT_EQ(stats.with_discriminator, 1u);
  EXPECT_EQ(stats.sentinels, 1u);
  EXPECT_EQ(stats.inlined_probes, 2u);
  EXPECT_EQ(stats.copies, 2u);
  EXPECT_EQ(stats.unknown_call_sites, 1u);
  EXPECT_EQ(stats.deepest, 1u);
  // main has 1, 2, 3 and 9 of nine, leaf 1 and 4 of four, gone its only one.
  EXPECT_EQ(stats.indices, 14u);
  EXPECT_EQ(stats.dangling, 7u);
  EXPECT_EQ(stats.without_descriptor, 2u);
  EXPECT_EQ(stats.without_probes, 1u);
  auto largest = stats.largest(5);
  ASSERT_EQ(largest.size(), 2u);
  EXPECT_EQ(largest[0].guid, function_guid("main"));
  EXPECT_EQ(largest[0].probes, 6u);
  EXPECT_EQ(largest[0].bytes + largest[1].bytes, section.bytes().size());
}

TEST(Stats, SaysWhenASectionIsCutOff) {
  SectionBuilder section = split_function();
  section.drop_last(1);
  Stats stats;
  EXPECT_NE(stats.add(section.bytes(), address_of), std::nullopt);
}

TEST(Descriptors, OfSeveralSectionsKeepTheFirst) {
  SectionBuilder one, two;
  one.descriptor("b", 1).descriptor("a", 2);
  two.descriptor("a", 3).descriptor("a", 2).descriptor("c", 4).drop_last(1);
  Bytes sections[] = {one.bytes(), two.bytes()};
  Descriptors known = Descriptors::read(sections);
  EXPECT_TRUE(known.truncated());
  EXPECT_EQ(known.list().size(), 2u);
  EXPECT_EQ(known.find(function_guid("a"))->hash, 2u);
  ASSERT_EQ(known.duplicates().size(), 2u);
  EXPECT_EQ(known.duplicates()[0].hash, 3u);
}

}  // namespace
}  // namespace pgokit::probe
