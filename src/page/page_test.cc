#include "page/page.h"

#include <gmock/gmock.h>

#include "page/json_text.h"

namespace pgokit::page {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(JsonText, SeparatesValues) {
  JsonText json;
  json.begin('{').key("a").begin('[').value(1u).value(i64{-2}).value(true).end(']');
  json.key("b").value("x\"y").key("c").begin('[').end(']').end('}');
  EXPECT_EQ(json.text(), R"({"a":[1,-2,true],"b":"x\"y","c":[]})");
}

TEST(JsonText, CannotEndItsElement) {
  JsonText json;
  json.begin('[').value("</script><!--").end(']');
  EXPECT_EQ(json.text(), R"(["\u003c/script>\u003c!--"])");
}

TEST(JsonText, StringsThatLookLikeTheEndOfAListAreSeparatedToo) {
  JsonText json;
  json.begin('[').value("[").value(":").value("{").end(']');
  EXPECT_EQ(json.text(), R"(["[",":","{"])");
}

TEST(Page, EscapesItsTitle) {
  auto html = html_of({.title = "</title><script>"}, false);
  EXPECT_THAT(html, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;</title>"));
  EXPECT_THAT(html, Not(HasSubstr("</title><script>")));
}

TEST(Page, IsTheSameAgain) {
  annotate::FunctionList list;
  list.functions.push_back({.name = "f", .instructions = 3});
  Contents contents{.title = "t"};
  contents.functions = &list;
  EXPECT_EQ(html_of(contents, false), html_of(contents, false));
  EXPECT_THAT(html_of(contents, false), HasSubstr(R"("names":["f"])"));
}

}  // namespace
}  // namespace pgokit::page
