#include "probe/encoder.h"

#include <gmock/gmock.h>

#include <random>

#include "probe/section_builder.h"

namespace pgokit::probe {
namespace {

using ::testing::ElementsAre;

std::vector<u8> bytes(const FunctionProbes& function) {
  ByteSink sink;
  function.encode(sink);
  return {sink.bytes().begin(), sink.bytes().end()};
}

std::vector<u8> bytes(const SectionBuilder& section) {
  return {section.bytes().begin(), section.bytes().end()};
}

u64 guid(std::string_view name) { return function_guid(name); }

TEST(Encoder, WritesOneFunction) {
  FunctionProbes main("main", 0x1000);
  main.add(guid("main"), {}, {.index = 1, .place = 0x1000});
  main.add(guid("main"), {}, {.index = 3, .type = Type::direct_call, .place = 0x1100});
  EXPECT_EQ(bytes(main),
            bytes(SectionBuilder().record("main", 2, 0).probe(1, 0, 0).probe(3, 2, 0x100)));
}

TEST(Encoder, SortsInlineesAndCarriesTheAddressOn) {
  FunctionProbes main("main", 0);
  const CallSite at2{guid("main"), 2}, at9{guid("main"), 9};
  main.add(guid("leaf"), std::array{at9}, {.index = 1, .place = 40});
  main.add(guid("leaf"), std::array{at2}, {.index = 1, .place = 30});
  main.add(guid("main"), {}, {.index = 1, .place = 10});
  main.add(guid("deep"), std::array{at2, CallSite{guid("mid"), 4}}, {.index = 7, .place = 20});
  main.add(guid("leaf"), std::array{at2}, {.index = 2, .place = 5});
  SectionBuilder expected;
  expected.record("main", 1, 3).probe(1, 0, 10);
  // By GUID, then by call site; mid has no probes of its own.
  struct Child {
    u64 guid, call_site;
  };
  auto leaf2 = [&](i64 from) {
    expected.inlinee(2, "leaf", 2, 0).probe(1, 0, 30 - from).probe(2, 0, -25);
  };
  auto leaf9 = [&](i64 from) { expected.inlinee(9, "leaf", 1, 0).probe(1, 0, 40 - from); };
  auto mid = [&](i64 from) {
    expected.inlinee(2, "mid", 0, 1).inlinee(4, "deep", 1, 0).probe(7, 0, 20 - from);
  };
  if (guid("leaf") < guid("mid")) {
    leaf2(10), leaf9(5), mid(40);
  } else {
    mid(10), leaf2(20), leaf9(5);
  }
  EXPECT_EQ(bytes(main), bytes(expected));
}

TEST(Encoder, PutsASentinelBeforeForeignCode) {
  FunctionProbes cold("f.cold", 100);
  cold.add(guid("f"), {}, {.index = 4, .place = 101});
  SectionBuilder expected;
  expected.record("f", 2, 0).sentinel("f.cold").probe(4, 0, 1);
  EXPECT_EQ(bytes(cold), bytes(expected));
}

TEST(Encoder, StartsEachTopRecordAtTheSymbol) {
  FunctionProbes f("f", 100);
  f.add(guid("g"), {}, {.index = 1, .place = 150});
  f.add(guid("f"), {}, {.index = 1, .place = 160});
  SectionBuilder expected;
  auto own = [&] { expected.record("f", 1, 0).probe(1, 0, 60); };
  auto foreign = [&] { expected.record("g", 2, 0).sentinel("f").probe(1, 0, 50); };
  if (guid("f") < guid("g")) {
    own(), foreign();
  } else {
    foreign(), own();
  }
  EXPECT_EQ(bytes(f), bytes(expected));
}

TEST(Encoder, WritesDiscriminatorsAndAttributes) {
  FunctionProbes f("f", 0);
  f.add(guid("f"), {}, {.index = 300, .attributes = 5, .discriminator = 0, .place = 64});
  f.add(guid("f"), {},
        {.index = 2, .type = Type{15}, .attributes = 1, .discriminator = 9, .place = 0});
  SectionBuilder expected;
  expected.record("f", 2, 0);
  expected.uleb(300).byte(0xd0).sleb(64).uleb(0).uleb(2).byte(0x9f).sleb(-64);
  EXPECT_EQ(bytes(f), bytes(expected));
}

TEST(Encoder, WritesDescriptors) {
  ByteSink sink;
  write_descriptor({5, 6, "abc"}, sink);
  EXPECT_THAT(sink.bytes(),
              ElementsAre(5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 3, 'a', 'b', 'c'));
  EXPECT_EQ(descriptor_group("abc"), ".pseudo_probe_desc_abc");
}

struct Written {
  u64 function = 0;
  std::vector<CallSite> inlined_by;
  NewProbe probe;
  auto key() const {
    return std::tuple(probe.place, function, inlined_by, probe.index, probe.type, probe.attributes,
                      probe.discriminator);
  }
};

Written as_written(const Decoded& decoded, const Probe& probe) {
  Written out;
  out.probe = {probe.index, probe.type, probe.attributes, probe.discriminator, probe.address};
  u32 node = probe.node;
  out.function = decoded.nodes()[node].guid;
  for (; decoded.nodes()[node].is_inlined(); node = decoded.nodes()[node].parent)
    out.inlined_by.insert(
        out.inlined_by.begin(),
        {decoded.nodes()[decoded.nodes()[node].parent].guid, decoded.nodes()[node].call_site});
  return out;
}

// What table.h reads of random probes is what was written.
TEST(Encoder, IsUndoneByTheDecoder) {
  std::mt19937 random(22);
  auto below = [&](u32 n) { return static_cast<u32>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    std::string symbol = "f" + std::to_string(below(3));
    u64 start = 0x1000 + below(5000);
    FunctionProbes function(symbol, start);
    std::vector<Written> expected;
    for (u32 n = below(60) + 1; n > 0; --n) {
      Written one;
      for (u32 depth = below(4); depth > 0; --depth)
        one.inlined_by.push_back({guid("f" + std::to_string(below(3))), below(3)});
      one.function = guid("f" + std::to_string(below(3)));
      bool has_discriminator = below(4) == 0;
      one.probe = {below(400), Type{static_cast<u8>(below(3))},
                   static_cast<u8>(has_discriminator ? 4 : below(2)),
                   has_discriminator ? below(300) : 0, start + below(200)};
      function.add(one.function, one.inlined_by, one.probe);
      expected.push_back(one);
    }
    ByteSink section;
    function.encode(section);
    Table table = Table::index({}, section.bytes());
    EXPECT_FALSE(table.truncated());
    Decoded decoded = table.decode([](u64) { return true; },
                                   [&](u64 id) -> std::optional<u64> {
                                     if (id == guid(symbol)) return start;
                                     return std::nullopt;
                                   });
    std::vector<Written> read;
    for (const Probe& probe : decoded.probes()) read.push_back(as_written(decoded, probe));
    std::ranges::sort(read, {}, &Written::key);
    std::ranges::sort(expected, {}, &Written::key);
    ASSERT_EQ(read.size(), expected.size());
    for (size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i].key(), expected[i].key());
  }
}

}  // namespace
}  // namespace pgokit::probe
