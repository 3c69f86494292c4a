#include "dwarf/debug_info.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/cursor.h"
#include "dwarf/constants.h"
#include "test/support/debug_builder.h"

namespace pgokit::dwarf {
namespace {

using test::DebugBuilder;

// Keeps the image alive.
struct Loaded {
  explicit Loaded(const DebugBuilder& builder) : image(builder.image()) {
    file = std::make_unique<object::File>(*object::File::parse(as_bytes(image)));
    auto result = DebugInfo::load(*file, {.path = "/nonexistent", .threads = 2});
    if (result) info = std::make_unique<DebugInfo>(std::move(*result));
  }

  std::vector<std::string> names_at(u64 address) const {
    FrameCursor cursor(*info);
    std::vector<std::string> names;
    for (const auto& frame : cursor.at(address).frames) names.emplace_back(frame.function);
    return names;
  }

  std::string image;
  std::unique_ptr<object::File> file;
  std::unique_ptr<DebugInfo> info;
};

using Names = std::vector<std::string>;

// A unit from 0x1000 to 0x2000 whose entries tell names and addresses in place.
struct Kinds {
  explicit Kinds(DebugBuilder& d)
      : unit(d.abbrev(tag::compile_unit, true,
                      {{attr::low_pc, form::addr}, {attr::high_pc, form::data8}})),
        function(d.abbrev(tag::subprogram, true,
                          {{attr::name, form::string},
                           {attr::low_pc, form::addr},
                           {attr::high_pc, form::data4}})),
        call(d.abbrev(tag::inlined_subroutine, true,
                      {{attr::abstract_origin, form::ref4},
                       {attr::low_pc, form::addr},
                       {attr::high_pc, form::data4},
                       {attr::call_line, form::data1}})),
        abstract(d.abbrev(tag::subprogram, false,
                          {{attr::name, form::string}, {attr::decl_line, form::data1}})),
        block(d.abbrev(0x0b, true, {})),
        instance(d.abbrev(tag::subprogram, true,
                          {{attr::abstract_origin, form::ref4},
                           {attr::low_pc, form::addr},
                           {attr::high_pc, form::data4}})) {}

  u64 unit, function, call, abstract, block, instance;
};

TEST(DebugInfo, NoneIsAnError) {
  std::string image = test::ElfBuilder().section(".text", "code").image();
  auto file = object::File::parse(as_bytes(image));
  auto info = DebugInfo::load(*file, {});
  ASSERT_FALSE(info);
  EXPECT_NE(info.error().message.find(".debug_info"), std::string::npos);
}

TEST(DebugInfo, TellsTheSourceFilesOfUnits) {
  DebugBuilder d;
  u64 named = d.abbrev(tag::compile_unit, false,
                       {{attr::producer, form::string}, {attr::name, form::string}});
  u64 nameless = d.abbrev(tag::compile_unit, false, {{attr::producer, form::string}});
  d.begin_unit(5);
  d.info.uleb(named).text("clang").text("src/a.c");
  d.end_unit();
  d.begin_unit(4);
  d.info.uleb(nameless).text("clang");
  d.end_unit();
  Loaded loaded(d);
  ASSERT_TRUE(loaded.info);
  EXPECT_EQ(loaded.info->unit_name(0), "src/a.c");
  EXPECT_EQ(loaded.info->unit_name(1), "");
  EXPECT_EQ(loaded.info->unit_name(2), "");
}

TEST(DebugInfo, CallsNest) {
  DebugBuilder d;
  Kinds k(d);
  u64 unit = d.begin_unit(5);
  d.info.uleb(k.unit).u8s(0x1000).u8s(0x1000);
  u64 inner = d.info.size() - unit;
  d.info.uleb(k.abstract).text("inner").u1(7);
  u64 outer = d.info.size() - unit;
  d.info.uleb(k.abstract).text("outer").u1(9);
  d.info.uleb(k.function).text("f").u8s(0x1000).u4(0x100);
  d.info.uleb(k.call).u4(outer).u8s(0x1010).u4(0x40).u1(20);
  d.info.uleb(k.block);
  d.info.uleb(k.call).u4(inner).u8s(0x1020).u4(0x10).u1(30).u1(0).u1(0).u1(0);
  // Behind a block that ended, at the depth of the call in it.
  d.info.uleb(k.block);
  d.info.uleb(k.call).u4(inner).u8s(0x1080).u4(0x10).u1(40).u1(0).u1(0);
  d.info.u1(0).u1(0);
  d.end_unit();
  Loaded loaded(d);
  ASSERT_TRUE(loaded.info);
  EXPECT_EQ(loaded.names_at(0x1000), Names({"f"}));
  EXPECT_EQ(loaded.names_at(0x1010), Names({"f", "outer"}));
  EXPECT_EQ(loaded.names_at(0x102f), Names({"f", "outer", "inner"}));
  EXPECT_EQ(loaded.names_at(0x1030), Names({"f", "outer"}));
  EXPECT_EQ(loaded.names_at(0x1085), Names({"f", "inner"}));
  EXPECT_EQ(loaded.names_at(0x1100), Names());
  EXPECT_EQ(loaded.names_at(0x0fff), Names());

  FrameCursor cursor(*loaded.info);
  const auto& part = cursor.at(0x1025);
  EXPECT_EQ(part.begin, 0x1020u);
  EXPECT_EQ(part.end, 0x1030u);
  EXPECT_EQ(part.frames[0].line, 20u);
  EXPECT_EQ(part.frames[1].line, 30u);
  EXPECT_EQ(part.frames[1].start_line, 9u);
  EXPECT_EQ(part.frames[2].line, 0u);  // no line table

  auto functions = loaded.info->functions();
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].name, "f");
  EXPECT_EQ(functions[0].end, 0x1100u);
}

TEST(DebugInfo, NamesComeFromFarAndCirclesEnd) {
  DebugBuilder d;
  Kinds k(d);
  u64 definition = d.abbrev(tag::subprogram, false,
                            {{attr::specification, form::ref4},
                             {attr::abstract_origin, form::ref4},
                             {attr::low_pc, form::addr},
                             {attr::high_pc, form::data4}});
  u64 declaration = d.abbrev(tag::subprogram, false,
                             {{attr::name, form::string}, {attr::linkage_name, form::string}});
  u64 elsewhere = d.abbrev(tag::subprogram, false,
                           {{attr::abstract_origin, form::ref_addr},
                            {attr::low_pc, form::addr},
                            {attr::high_pc, form::data1}});
  u64 first = d.begin_unit(4);
  d.info.uleb(k.unit).u8s(0x1000).u8s(0x1000);
  u64 declared = d.info.size();
  d.info.uleb(declaration).text("short").text("_Zlong");
  u64 plain = d.info.size() - first;
  d.info.uleb(k.abstract).text("plain").u1(1);
  // The specification's linkage name goes before the origin's name.
  d.info.uleb(definition).u4(declared - first).u4(plain).u8s(0x1000).u4(0x10);
  u64 circle = d.info.size() - first;
  d.info.uleb(definition).u4(circle).u4(circle).u8s(0x1010).u4(0x10);
  d.info.uleb(definition).u4(0xffffff).u4(plain).u8s(0x1020).u4(0x10);
  d.info.u1(0);
  d.end_unit();
  d.begin_unit(3);
  d.info.uleb(k.unit).u8s(0x2000).u8s(0x1000);
  d.info.uleb(elsewhere).u4(declared).u8s(0x2000).u1(4);
  d.info.u1(0);
  d.end_unit();
  Loaded loaded(d);
  ASSERT_TRUE(loaded.info);
  EXPECT_EQ(loaded.names_at(0x1000), Names({"_Zlong"}));
  EXPECT_EQ(loaded.names_at(0x1010), Names());  // no name, no frame
  EXPECT_EQ(loaded.names_at(0x1020), Names({"plain"}));
  EXPECT_EQ(loaded.names_at(0x2000), Names({"_Zlong"}));
  EXPECT_EQ(loaded.info->functions().size(), 3u);
  EXPECT_EQ(loaded.info->facts().lowest_version, 3u);
  EXPECT_EQ(loaded.info->facts().highest_version, 4u);
}

TEST(DebugInfo, NamelessFrameHidesWhatItCalls) {
  DebugBuilder d;
  Kinds k(d);
  u64 unit = d.begin_unit(5);
  d.info.uleb(k.unit).u8s(0x1000).u8s(0x1000);
  u64 named = d.info.size() - unit;
  d.info.uleb(k.abstract).text("named").u1(7);
  d.info.uleb(k.function).text("f").u8s(0x1000).u4(0x100);
  d.info.uleb(k.call).u4(0xffffff).u8s(0x1010).u4(0x40).u1(20);
  d.info.uleb(k.call).u4(named).u8s(0x1010).u4(0x40).u1(20).u1(0).u1(0).u1(0).u1(0);
  d.end_unit();
  EXPECT_EQ(Loaded(d).names_at(0x1010), Names({"f"}));
}

TEST(DebugInfo, LaterEntriesCutEarlierOnes) {
  DebugBuilder d;
  Kinds k(d);
  d.begin_unit(5);
  d.info.uleb(k.unit).u8s(0x1000).u8s(0x1000);
  d.info.uleb(k.function).text("first").u8s(0x1000).u4(0x100).u1(0);
  d.info.uleb(k.function).text("second").u8s(0x1080).u4(0x100).u1(0);
  d.info.uleb(k.function).text("same").u8s(0x1080).u4(0x20).u1(0);
  d.info.uleb(k.function).text("empty").u8s(0x1040).u4(0).u1(0);
  d.info.u1(0);
  d.end_unit();
  Loaded loaded(d);
  EXPECT_EQ(loaded.names_at(0x107f), Names({"first"}));
  EXPECT_EQ(loaded.names_at(0x1080), Names({"same"}));
  EXPECT_EQ(loaded.names_at(0x10a0), Names({"second"}));
  EXPECT_EQ(loaded.names_at(0x1180), Names());
}

TEST(DebugInfo, OneUnitPerAddress) {
  DebugBuilder d;
  Kinds k(d);
  auto unit = [&](const char* name, u64 begin, u64 size) {
    d.begin_unit(5);
    d.info.uleb(k.unit).u8s(begin).u8s(size);
    d.info.uleb(k.function).text(name).u8s(begin).u4(size).u1(0).u1(0);
    d.end_unit();
  };
  unit("a", 0x1100, 0x100);
  unit("b", 0x1000, 0x180);  // goes on where a begins
  unit("c", 0x1100, 0x200);
  Loaded loaded(d);
  EXPECT_EQ(loaded.names_at(0x1000), Names({"b"}));
  EXPECT_EQ(loaded.names_at(0x1100), Names({"b"}));
  EXPECT_EQ(loaded.names_at(0x1180), Names({"a"}));
  EXPECT_EQ(loaded.names_at(0x1200), Names({"c"}));
  EXPECT_EQ(loaded.info->functions().size(), 3u);
}

TEST(DebugInfo, BrokenUnitsAreCountedAndLeftOut) {
  DebugBuilder d;
  Kinds k(d);
  d.begin_unit(5);
  d.info.uleb(99);  // not declared
  d.end_unit();
  d.begin_unit(9);
  d.info.uleb(k.unit).u8s(0x1000).u8s(0x10).u1(0);
  d.end_unit();
  d.begin_unit(5);
  d.info.uleb(k.unit).u8s(0x2000).u8s(0x1000);
  d.info.uleb(k.function).text("good").u8s(0x2000).u4(0x10);
  d.info.uleb(98);
  d.end_unit();
  d.info.u4(0xfffff).u2(5);  // longer than the section
  Loaded loaded(d);
  ASSERT_TRUE(loaded.info);
  EXPECT_EQ(loaded.names_at(0x2000), Names({"good"}));
  EXPECT_EQ(loaded.info->facts().units, 1u);
  EXPECT_EQ(loaded.info->facts().broken_units, 3u);
}

TEST(DebugInfo, HolesAreNoUnits) {
  DebugBuilder d;
  Kinds k(d);
  auto unit = [&](const char* name, u64 begin) {
    d.begin_unit(5);
    d.info.uleb(k.unit).u8s(begin).u8s(0x100);
    d.info.uleb(k.function).text(name).u8s(begin).u4(0x10).u1(0).u1(0);
    d.end_unit();
  };
  unit("before", 0x1000);
  d.info.bytes(std::string(8 << 20, '\0'));
  unit("behind", 0x2000);
  Loaded loaded(d);
  ASSERT_TRUE(loaded.info);
  EXPECT_EQ(loaded.names_at(0x1000), Names({"before"}));
  EXPECT_EQ(loaded.names_at(0x2000), Names({"behind"}));
  EXPECT_EQ(loaded.info->facts().units, 2u);
  EXPECT_EQ(loaded.info->facts().broken_units, 1u) << "not two millions";
}

TEST(DebugInfo, MoreUnitsThanProgramsHaveAreLeftOut) {
  DebugBuilder d;
  Kinds k(d);
  d.begin_unit(5);
  d.info.uleb(k.unit).u8s(0x1000).u8s(0x100);
  d.info.uleb(k.function).text("first").u8s(0x1000).u4(0x10).u1(0).u1(0);
  d.end_unit();
  u64 empty = d.abbrev(tag::compile_unit, false, {});
  for (int i = 0; i < 200'000; ++i) {
    d.begin_unit(4);
    d.info.uleb(empty);
    d.end_unit();
  }
  Loaded loaded(d);
  ASSERT_TRUE(loaded.info);
  EXPECT_EQ(loaded.names_at(0x1000), Names({"first"}));
  EXPECT_EQ(loaded.info->facts().units, 100'000 + d.info.size() / 256);
  EXPECT_EQ(loaded.info->facts().broken_units, 1u);
}

TEST(DebugInfo, DeepNestsAreCut) {
  DebugBuilder d;
  Kinds k(d);
  u64 unit = d.begin_unit(5);
  d.info.uleb(k.unit).u8s(0x1000).u8s(0x1000);
  u64 inner = d.info.size() - unit;
  d.info.uleb(k.abstract).text("inner").u1(7);
  d.info.uleb(k.function).text("f").u8s(0x1000).u4(0x100);
  for (int i = 0; i < 3000; ++i) d.info.uleb(k.call).u4(inner).u8s(0x1000).u4(0x80).u1(1);
  d.end_unit();
  Loaded loaded(d);
  EXPECT_EQ(loaded.names_at(0x1000).size(), 1024u);
  EXPECT_EQ(loaded.names_at(0x1080), Names({"f"}));
}

TEST(DebugInfo, MissingSplitUnitsAreTold) {
  DebugBuilder d;
  u64 skeleton = d.abbrev(tag::compile_unit, false,
                          {{attr::gnu_dwo_name, form::string}, {attr::gnu_dwo_id, form::data8}});
  d.begin_unit(4);
  d.info.uleb(skeleton).text("/nonexistent/a.dwo").u8s(77);
  d.end_unit();
  auto facts = Loaded(d).info->facts();
  EXPECT_EQ(facts.split_units, 1u);
  EXPECT_EQ(facts.missing_dwo, 1u);
  EXPECT_EQ(facts.first_missing_dwo, "/nonexistent/a.dwo");
}

}  // namespace
}  // namespace pgokit::dwarf
