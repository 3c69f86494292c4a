#include "probe/table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "probe/section_builder.h"

namespace pgokit::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool everything(u64) { return true; }

Table::AddressOf symbols(const std::map<std::string, u64>& by_name) {
  std::map<u64, u64> by_guid;
  for (const auto& [name, address] : by_name) by_guid[function_guid(name)] = address;
  return [by_guid](u64 guid) -> std::optional<u64> {
    auto found = by_guid.find(guid);
    if (found == by_guid.end()) return std::nullopt;
    return found->second;
  };
}

std::vector<u64> addresses(const Decoded& decoded) {
  std::vector<u64> out;
  for (const Probe& probe : decoded.probes()) out.push_back(probe.address);
  return out;
}

TEST(Descriptors, KeepTheFirstOfEachGuid) {
  SectionBuilder section;
  section.descriptor("b", 2).descriptor("a", 1).descriptor("b", 3);
  Descriptors known = Descriptors::read(section.bytes());
  EXPECT_FALSE(known.truncated());
  EXPECT_EQ(known.duplicates().size(), 1u);
  ASSERT_TRUE(known.find(function_guid("b")));
  EXPECT_EQ(known.find(function_guid("b"))->hash, 2u);
  EXPECT_EQ(known.find(function_guid("b"))->name, "b");
  EXPECT_EQ(known.find(17), nullptr);
}

TEST(Descriptors, KeepWhatIsBeforeTheBreak) {
  SectionBuilder section;
  section.descriptor("whole", 1).descriptor("cut", 2).drop_last(1);
  Descriptors known = Descriptors::read(section.bytes());
  EXPECT_TRUE(known.truncated());
  EXPECT_EQ(known.list().size(), 1u);
}

TEST(Descriptors, LeaveOutNamesThatNoProfileCanHold) {
  SectionBuilder section;
  section.descriptor(std::string("nul\0", 4), 1).descriptor("line\n", 2).descriptor("", 3);
  section.descriptor("whole", 4);
  Descriptors known = Descriptors::read(section.bytes());
  EXPECT_FALSE(known.truncated());
  ASSERT_EQ(known.list().size(), 1u);
  EXPECT_EQ(known.list()[0].name, "whole");
}

// main { call leaf at probe 2 (inlined) }, with the negative delta that inlining makes.
struct Inlined {
  SectionBuilder descriptors, probes;
  Inlined() {
    descriptors.descriptor("main", 11).descriptor("mid", 12).descriptor("leaf", 13);
    probes.record("main", 2, 1).probe(1, 0, 0).probe(3, 1, 16);
    probes.inlinee(2, "mid", 1, 1).probe_with_discriminator(1, 0, -12, 7);
    probes.inlinee(4, "leaf", 1, 0).probe(1, 0, 2);
  }
  Table table() const { return Table::index(descriptors.bytes(), probes.bytes()); }
};

TEST(Table, DecodesAnInlineTree) {
  Inlined input;
  Table table = input.table();
  EXPECT_EQ(table.records(), 1u);
  Decoded got = table.decode(everything, symbols({{"main", 0x1000}}));
  EXPECT_THAT(addresses(got), ElementsAre(0x1000, 0x1004, 0x1006, 0x1010));
  EXPECT_EQ(got.probes()[1].discriminator, 7u);
  EXPECT_EQ(got.call_probe(0x1010)->index, 3u);
  EXPECT_EQ(got.call_probe(0x1000), nullptr);
  EXPECT_EQ(got.in(0x1001, 0x1006).size(), 2u);
  EXPECT_THAT(got.at(0x1001), IsEmpty());

  ASSERT_EQ(got.nodes().size(), 3u);
  EXPECT_EQ(got.nodes()[0].subtree_end, 3u);
  EXPECT_EQ(got.nodes()[2].parent, 1u);
  EXPECT_EQ(got.nodes()[2].call_site, 4u);
  EXPECT_THAT(got.probes_of(got.nodes()[0]), ElementsAre(0, 3));
  EXPECT_EQ(table.descriptors().list()[got.nodes()[1].descriptor].hash, 12u);
}

TEST(Table, MoreProbesFindTheirPlace) {
  Inlined input;
  Table table = input.table();
  Decoded got = table.decode(everything, symbols({{"main", 0x1000}}));
  auto before = got.probes();
  got.add({{.address = 0x1004, .node = 2, .index = 9}, {.address = 0x1000, .node = 0, .index = 8}});
  EXPECT_THAT(addresses(got), ElementsAre(0x1000, 0x1000, 0x1004, 0x1004, 0x1006, 0x1010));
  for (const auto& node : got.nodes())
    for (u32 at : got.probes_of(node)) EXPECT_EQ(&got.nodes()[got.probes()[at].node], &node);
  EXPECT_THAT(got.probes_of(got.nodes()[0]), ElementsAre(0, 5, 1));
  EXPECT_EQ(got.probes()[1].index, 8u);
  EXPECT_EQ(got.probes()[0].index, before[0].index);
  EXPECT_EQ(got.call_probe(0x1010)->index, 3u);
}

TEST(Table, ContextsRunFromTheOutside) {
  Inlined input;
  Table table = input.table();
  Decoded got = table.decode(everything, symbols({{"main", 0x1000}}));
  std::vector<Frame> frames = {{"caller", 9}};
  got.append_context(got.probes()[2], true, frames);
  EXPECT_THAT(frames,
              ElementsAre(Frame{"caller", 9}, Frame{"main", 2}, Frame{"mid", 4}, Frame{"leaf", 1}));
  frames.clear();
  got.append_context(got.probes()[1], false, frames);
  EXPECT_THAT(frames, ElementsAre(Frame{"main", 2}));
}

TEST(Table, AnUnknownCallSiteClearsTheContext) {
  SectionBuilder descriptors, probes;
  descriptors.descriptor("main", 1).descriptor("mid", 2).descriptor("leaf", 3);
  probes.record("main", 0, 1).inlinee(5, "mid", 0, 1).inlinee(0, "leaf", 1, 0).probe(2, 0, 0);
  Table table = Table::index(descriptors.bytes(), probes.bytes());
  Decoded got = table.decode(everything, symbols({{"main", 16}}));
  std::vector<Frame> frames = {{"caller", 9}};
  got.append_context(got.probes()[0], true, frames);
  EXPECT_THAT(frames, ElementsAre(Frame{"leaf", 2}));
  // As the last element a 0 stays.
  frames = {{"caller", 9}};
  got.append_context(got.probes()[0], false, frames);
  EXPECT_THAT(frames, ElementsAre(Frame{"caller", 9}, Frame{"main", 5}, Frame{"mid", 0}));
}

TEST(Table, SentinelsPlaceSplitParts) {
  SectionBuilder probes;
  probes.record("f", 1, 0).probe(1, 0, 4);
  probes.record("f", 2, 0).sentinel("f.cold").probe(2, 0, 1);
  probes.record("g", 2, 0).sentinel("gone").probe(1, 0, 1);
  Table table = Table::index({}, probes.bytes());
  Decoded got = table.decode(everything, symbols({{"f", 0x10}, {"f.cold", 0x20}}));
  // The last one keeps the GUID itself as its base, which is what llvm-profgen does.
  EXPECT_THAT(addresses(got), ElementsAre(0x14, 0x21, function_guid("gone") + 1));
  EXPECT_EQ(got.unknown_functions(), 3u);
}

TEST(Table, AddressesRunOnWhereThereIsNoSymbol) {
  SectionBuilder probes;
  probes.record("a", 1, 0).probe(1, 0, 1);
  probes.record("b", 1, 0).probe(1, 0, 2);
  probes.record("c", 1, 0).probe(1, 0, 4);
  Table table = Table::index({}, probes.bytes());
  auto only_c = [](u64 guid) { return guid == function_guid("c"); };
  EXPECT_THAT(addresses(table.decode(only_c, symbols({{"a", 0x100}}))), ElementsAre(0x107));
  EXPECT_THAT(addresses(table.decode(only_c, symbols({{"b", 0x200}}))), ElementsAre(0x206));
  EXPECT_THAT(addresses(table.decode(everything, symbols({{"a", 0x100}}))),
              ElementsAre(0x101, 0x103, 0x107));
  EXPECT_THAT(addresses(table.decode(only_c, symbols({}))), ElementsAre(7));
}

TEST(Table, AnAbsoluteAddressEndsTheUseOfSymbols) {
  SectionBuilder probes;
  probes.record("a", 1, 0).probe(1, 0, 1);
  probes.record("b", 2, 0).absolute(1, 0, 0x500).probe(2, 0, 1);
  probes.record("c", 1, 0).probe(1, 0, 1);
  Table table = Table::index({}, probes.bytes());
  auto known = symbols({{"a", 0x100}, {"b", 0x200}, {"c", 0x300}});
  EXPECT_THAT(addresses(table.decode(everything, known)), ElementsAre(0x101, 0x500, 0x501, 0x502));
  auto only_c = [](u64 guid) { return guid == function_guid("c"); };
  EXPECT_THAT(addresses(table.decode(only_c, known)), ElementsAre(0x502));
}

TEST(Table, KeepsWholeRecordsOfATruncatedSection) {
  Inlined input;
  size_t first = input.probes.bytes().size();
  input.probes.record("mid", 1, 0).probe(1, 0, 0);
  Bytes all = input.probes.bytes();
  for (size_t cut = first + 1; cut < all.size(); ++cut) {
    Table table = Table::index(input.descriptors.bytes(), all.first(cut));
    EXPECT_TRUE(table.truncated());
    EXPECT_EQ(table.records(), 1u);
    EXPECT_EQ(table.decode(everything, symbols({})).nodes().size(), 3u);
  }
}

TEST(Table, CountsThatLieCostNothing) {
  SectionBuilder probes;
  probes.record("a", ~u64{0}, ~u64{0}).probe(1, 0, 0);
  Table table = Table::index({}, probes.bytes());
  EXPECT_TRUE(table.truncated());
  EXPECT_EQ(table.records(), 0u);
}

TEST(Table, DeepNestingNeedsNoStack) {
  SectionBuilder probes;
  constexpr u32 depth = 200'000;
  probes.record("a", 0, 1);
  for (u32 i = 1; i < depth; ++i) probes.inlinee(1, "a", 0, 1);
  probes.inlinee(1, "a", 1, 0).probe(1, 0, 0);
  Table table = Table::index({}, probes.bytes());
  Decoded got = table.decode(everything, symbols({}));
  EXPECT_EQ(got.nodes().size(), depth + 1u);
  std::vector<Frame> frames;
  got.append_context(got.probes()[0], true, frames);
  EXPECT_EQ(frames.size(), depth + 1u);
}

TEST(Table, IndexesThatNoProfileHoldsAreLeftOut) {
  SectionBuilder descriptors, probes;
  descriptors.descriptor("main", 1).descriptor("leaf", 2);
  probes.record("main", 2, 1).probe(1, 0, 0).probe(70'000, 0, 4);
  probes.inlinee(70'000, "leaf", 1, 0).probe(1, 0, 4);
  auto table = Table::index(descriptors.bytes(), probes.bytes());
  auto decoded = table.decode(everything, symbols({{"main", 0x1000}}));
  EXPECT_THAT(addresses(decoded), ElementsAre(0x1000u, 0x1008u));
  ASSERT_EQ(decoded.nodes().size(), 2u);
  EXPECT_EQ(decoded.nodes()[1].call_site, 0u);
  EXPECT_EQ(decoded.damage().probes, 1u);
  EXPECT_EQ(decoded.damage().call_sites, 1u);
  EXPECT_EQ(losses(decoded.damage()).size(), 2u);
}

TEST(Table, WhatIsLeftOutIsCounted) {
  SectionBuilder descriptors, probes;
  descriptors.descriptor("main", 1).descriptor(std::string_view("a\0b", 3), 2).descriptor("", 3);
  probes.record("main", 1, 0).probe(1, 0, 0);
  auto whole = Table::index(descriptors.bytes(), probes.bytes());
  auto decoded = whole.decode(everything, symbols({{"main", 0x1000}}));
  EXPECT_EQ(whole.descriptors().list().size(), 1u);
  EXPECT_EQ(decoded.damage().names, 2u);
  EXPECT_FALSE(decoded.damage().truncated);
  auto cut = Table::index(descriptors.bytes(), probes.bytes().first(probes.bytes().size() - 1));
  EXPECT_TRUE(cut.decode(everything, symbols({})).damage().truncated);
}

TEST(Table, EmptySectionsAreEmptyTables) {
  Table table = Table::index({}, {});
  EXPECT_FALSE(table.truncated());
  EXPECT_EQ(table.decode(everything, symbols({})).probes().size(), 0u);
}

// What is not asked for becomes no object: a profile costs what the functions that were hit have.
TEST(Table, DecodesOnlyWhatIsAskedFor) {
  SectionBuilder probes;
  for (int i = 0; i < 1000; ++i) {
    probes.record(fmt::format("f{}", i), 2, 1).probe(1, 0, 0).probe(2, 0, 4);
    probes.inlinee(2, "leaf", 1, 0).probe(1, 0, 0);
  }
  Table table = Table::index({}, probes.bytes());
  EXPECT_EQ(table.records(), 1000u);
  u64 asked = function_guid("f500");
  Decoded one = table.decode([&](u64 guid) { return guid == asked; },
                             [](u64) { return std::optional<u64>(0x1000); });
  EXPECT_EQ(one.nodes().size(), 2u);
  EXPECT_EQ(one.probes().size(), 3u);
}

}  // namespace
}  // namespace pgokit::probe
