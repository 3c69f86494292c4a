#include "order/order_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pgokit::order {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::vector<PlacedSymbol> symbols = {
    {"main", ".text.startup.main", {}}, {"f", {}, {}}, {"init", ".text.init", "lib/a.o"}};

TEST(OrderFile, EachLinkerGetsItsForm) {
  EXPECT_EQ(write_order(symbols, OrderFormat::lld).text, "main\nf\ninit\n");
  EXPECT_EQ(write_order(symbols, OrderFormat::gold).text,
            ".text.startup.main\n.text.f\n.text.init\n");
  EXPECT_EQ(write_order(symbols, OrderFormat::ld64).text, "_main\n_f\na.o:_init\n");
  EXPECT_EQ(write_order(symbols, OrderFormat::ld).text,
            "SECTIONS\n{\n  .text.ordered :\n  {\n    *(.text.startup.main)\n    *(.text.f)\n"
            "    *a.o(.text.init)\n  }\n}\nINSERT BEFORE .text;\n");
  EXPECT_EQ(write_call_graph({{"main", "f", 7}}).text, "main f 7\n");
}

TEST(OrderFile, NamesThatWouldEndALineAreLeftOutAndCounted) {
  const std::vector<PlacedSymbol> hostile = {
      {"f\ng", {}, {}}, {"h", {}, {}}, {"a\x1b[2J", {}, {}}, {"\x7f", {}, {}}};
  for (auto format : {OrderFormat::lld, OrderFormat::gold, OrderFormat::ld64, OrderFormat::ld}) {
    auto order = write_order(hostile, format);
    EXPECT_EQ(order.left_out, 3u);
    EXPECT_THAT(order.text, AllOf(HasSubstr("h"), Not(HasSubstr("g\n")), Not(HasSubstr("a"))));
  }
  auto graph =
      write_call_graph({{"f\ng", "h", 1}, {"h", "f\ng", 1}, {"a b", "h", 1}, {"h", "h", 2}});
  EXPECT_EQ(graph.text, "h h 2\n");
  EXPECT_EQ(graph.left_out, 3u);
}

TEST(OrderFile, NamesThatWouldEndAStatementOfAScriptAreLeftOut) {
  const std::vector<PlacedSymbol> hostile = {
      {"f) } /DISCARD/ : { *(.data", {}, {}}, {"g", ".text.g/*", {}}, {"h", {}, "a.o(.text) b.o"}};
  auto script = write_order(hostile, OrderFormat::ld);
  EXPECT_EQ(script.left_out, 3u);
  EXPECT_EQ(script.text, write_order({}, OrderFormat::ld).text);
}

TEST(OrderFile, WhatIsWrittenIsReadAgain) {
  for (auto format : {OrderFormat::lld, OrderFormat::gold}) {
    auto text = write_order(symbols, format).text;
    EXPECT_THAT(read_order(text)->names, ElementsAre("main", "f", "init"));
  }
}

TEST(OrderFile, CommentsBlankLinesAndRepetitions) {
  auto read = read_order("# made by hand\r\n\n  f \t\ng # why\nf\n.text.hot.h\n.text.\nlast");
  ASSERT_TRUE(read);
  EXPECT_THAT(read->names, ElementsAre("f", "g", "h", ".text.", "last"));
  EXPECT_EQ(read->repeated, 1u);
}

TEST(OrderFile, WhatIsNoOrderFileIsRefused) {
  EXPECT_THAT(read_order("# nothing\n").error().message, HasSubstr("no function"));
  EXPECT_THAT(read_order(std::string_view("f\0g", 3)).error().message, HasSubstr("no text"));
  EXPECT_THAT(read_order("f\n\rpgo").error().message, HasSubstr("line 2: it is no text"));
  EXPECT_THAT(read_order("f\nint f(int, int)\n").error().message, HasSubstr("line 2"));
}

TEST(OrderFile, IsKnownByItsForm) {
  for (auto format : {OrderFormat::lld, OrderFormat::gold, OrderFormat::ld})
    EXPECT_EQ(order_format_of(write_order(symbols, format).text), format);
  EXPECT_EQ(order_format_of(write_call_graph({{"main", "f", 7}}).text), OrderFormat::call_graph);
  EXPECT_EQ(order_format_of("# start-up\n\nmain # first\r\n.text.f\n_Z1fv\n"), OrderFormat::lld);
  for (const char* other :
       {"", "\n# nothing\n", "main f\n", "main f many\n", "a.perf\n/tmp/b.perf\n", "main:1:2\n",
        "main\nmain f 7\n", "{\"a\": 1}\n", "main\n\x01\n", "main # \x15\n", "main f 7 8\n"})
    EXPECT_EQ(order_format_of(other), std::nullopt) << other;
}

}  // namespace
}  // namespace pgokit::order
