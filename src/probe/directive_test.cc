#include "probe/directive.h"

#include <gmock/gmock.h>

#include <random>

namespace pgokit::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Directive, HasAllItsParts) {
  Directive one;
  ASSERT_TRUE(parse_directive("0xffffffffffffffff 2 1 4 017 @ 5:10 @ 7 : 0b11 \"a b\" ", one));
  EXPECT_EQ(one.function, ~u64{0});
  EXPECT_EQ(one.probe.index, 2u);
  EXPECT_EQ(one.probe.type, Type::indirect_call);
  EXPECT_EQ(one.probe.attributes, 4);
  EXPECT_EQ(one.probe.discriminator, 15u);
  EXPECT_THAT(one.inlined_by, ElementsAre(CallSite{5, 10}, CallSite{7, 3}));
  EXPECT_EQ(one.symbol, "\"a b\"");
}

TEST(Directive, KeepsNothingOfTheLastOne) {
  Directive one;
  ASSERT_TRUE(parse_directive("1 2 1 4 9 @ 5:10 f", one));
  ASSERT_TRUE(parse_directive("3 0 0 0/* no @ */g", one));
  EXPECT_EQ(one.probe.discriminator, 0u);
  EXPECT_THAT(one.inlined_by, IsEmpty());
  EXPECT_EQ(one.symbol, "g");
}

TEST(Directive, MayHaveADiscriminatorWithoutTheAttribute) {
  Directive one;
  ASSERT_TRUE(parse_directive("1 2 0 1 512 @ 5:10 f", one));
  EXPECT_EQ(one.probe.attributes, 5);
  EXPECT_EQ(one.probe.discriminator, 512u);
}

// As the first compilers with probes printed them.
TEST(Directive, MayLackSymbolAndAttributes) {
  Directive one;
  ASSERT_TRUE(parse_directive("837061429793323041 6 2 0", one));
  EXPECT_EQ(one.probe.type, Type::direct_call);
  EXPECT_EQ(one.symbol, "");
  ASSERT_TRUE(parse_directive("6699318081062747564 1 0 @ 837061429793323041:6", one));
  EXPECT_EQ(one.probe.attributes, 0);
  EXPECT_THAT(one.inlined_by, ElementsAre(CallSite{837061429793323041, 6}));
  EXPECT_EQ(one.symbol, "");
  ASSERT_TRUE(parse_directive("5 3 0 f", one));
  EXPECT_EQ(one.symbol, "f");
}

std::string printed(const Directive& one) {
  std::string line;
  print_directive(one, line);
  return line;
}

TEST(Directive, IsPrintedAsClangDoes) {
  Directive one;
  for (std::string_view operands :
       {"14740650423002898831 1 0 0 f", "7355118936880410586 2 2 0 @ 14740650423002898831:3 f",
        "5 2 1 4 17 @ 7:3 @ 9:4294967295 \"a b\"", "5 1 0 0"}) {
    ASSERT_TRUE(parse_directive(operands, one));
    EXPECT_EQ(printed(one), "\t.pseudoprobe\t" + std::string(operands));
  }
}

TEST(Directive, IsTheSameWhenItIsReadAgain) {
  std::mt19937_64 random(1);
  auto below = [&](u64 n) { return random() % n; };
  for (int n = 0; n < 5000; ++n) {
    Directive one;
    one.function = random() | 1;
    one.probe = {
        .index = static_cast<u32>(random()),
        .type = static_cast<Type>(below(16)),
        .attributes = static_cast<u8>(below(2) | (below(2) ? discriminator_attribute : 0))};
    if (one.probe.attributes & discriminator_attribute)
      one.probe.discriminator = static_cast<u32>(random() | 1);
    for (u64 calls = below(4); calls > 0; --calls)
      one.inlined_by.push_back({random() | 1, static_cast<u32>(random())});
    one.symbol = below(4) == 0 ? "" : below(2) ? "_Z1fv" : "\"a b\"";
    std::string line = printed(one);
    Directive again;
    std::string_view operands = line;
    ASSERT_TRUE(parse_directive(operands.substr(operands.find('\t', 1)), again)) << line;
    EXPECT_EQ(printed(again), line);
    EXPECT_EQ(again.inlined_by, one.inlined_by);
    EXPECT_EQ(again.probe.index, one.probe.index);
  }
}

std::string problem(std::string_view operands) {
  Directive one;
  auto status = parse_directive(operands, one);
  return status ? "none" : status.error().message;
}

TEST(Directive, SaysWhatIsWrong) {
  EXPECT_EQ(problem(""), "the function is missing");
  EXPECT_EQ(problem("f"), "the function is not a number");
  EXPECT_EQ(problem("-1 1 0 0 f"), "the function '-1' is not an unsigned number");
  EXPECT_EQ(problem("18446744073709551616 1 0 0 f"),
            "the function '18446744073709551616' is not an unsigned number");
  EXPECT_EQ(problem("0 1 0 0 f"), "the function is 0, which is no function");
  EXPECT_EQ(problem("1"), "the index is missing");
  EXPECT_EQ(problem("1 08 0 0 f"), "the index '08' is not an unsigned number");
  EXPECT_EQ(problem("1 4294967296 0 0 f"),
            "the index 4294967296 is too large, the limit is 4294967295");
  EXPECT_EQ(problem("1 1 16 0 f"), "the type 16 is too large, the limit is 15");
  EXPECT_EQ(problem("1 1 0 8 f"), "the attribute set 8 is too large, the limit is 7");
  EXPECT_THAT(problem("1 1 0 2 f"), HasSubstr("sentinel"));
  EXPECT_EQ(problem("1 1 0 4 f"), "the discriminator is not a number");
  EXPECT_EQ(problem("1 1 f g"), "the type is not a number");
  EXPECT_EQ(problem("1 1 0 0 7 7 f"), "'7 f' is not the symbol of a function");
  EXPECT_EQ(problem("1 1 0 0 @ 5 f"), "an inlined call has no ':'");
  EXPECT_EQ(problem("1 1 0 0 @ :5 f"), "the function of an inlined call is not a number");
  EXPECT_EQ(problem("1 1 0 0 @ 5:"), "the number of an inlined call is missing");
  EXPECT_THAT(problem("1 1 0 0 @ 0:1 f"), HasSubstr("is 0"));
  EXPECT_EQ(problem("1 1 0 0 f g"), "'f g' is not the symbol of a function");
  EXPECT_EQ(problem("1 1 0 0 \"f"), "'\"f' is not the symbol of a function");
}

TEST(Integers, AsAssemblersWriteThem) {
  u64 value = 0;
  EXPECT_TRUE(parse_integer("-2", value));
  EXPECT_EQ(value, ~u64{1});
  EXPECT_TRUE(parse_integer("0", value));
  EXPECT_EQ(value, 0u);
  EXPECT_FALSE(parse_integer("", value));
  EXPECT_FALSE(parse_integer("0x", value));
  EXPECT_FALSE(parse_integer("1f", value));
}

}  // namespace
}  // namespace pgokit::probe
