#include "order/order_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pgokit::order {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<PlacedSymbol> symbols = {
    {"main", ".text.startup.main", {}}, {"f", {}, {}}, {"init", ".text.init", "lib/a.o"}};

TEST(OrderFile, EachLinkerGetsItsForm) {
  EXPECT_EQ(write_order(symbols, OrderFormat::lld), "main\nf\ninit\n");
  EXPECT_EQ(write_order(symbols, OrderFormat::gold), ".text.startup.main\n.text.f\n.text.init\n");
  EXPECT_EQ(write_order(symbols, OrderFormat::ld64), "_main\n_f\na.o:_init\n");
  EXPECT_EQ(write_order(symbols, OrderFormat::ld),
            "SECTIONS\n{\n  .text.ordered :\n  {\n    *(.text.startup.main)\n    *(.text.f)\n"
            "    *a.o(.text.init)\n  }\n}\nINSERT BEFORE .text;\n");
  EXPECT_EQ(write_call_graph({{"main", "f", 7}}), "main f 7\n");
}

TEST(OrderFile, WhatIsWrittenIsReadAgain) {
  for (auto format : {OrderFormat::lld, OrderFormat::gold}) {
    auto text = write_order(symbols, format);
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

}  // namespace
}  // namespace pgokit::order
