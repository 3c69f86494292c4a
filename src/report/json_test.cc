#include "report/json.h"

#include <gtest/gtest.h>

namespace pgokit::report {
namespace {

TEST(Json, KeepsOrderAndTypes) {
  Json json = Json::object();
  json.set("z", u64{1} << 63)
      .set("a", -1)
      .set("yes", true)
      .set("text", "a\"b\xff")
      .set("none", Json());
  Json list = Json::array();
  list.push(0.5).push("x");
  json.set("list", std::move(list));
  EXPECT_EQ(json.text(),
            "{\n  \"z\": 9223372036854775808,\n  \"a\": -1,\n  \"yes\": true,\n"
            "  \"text\": \"a\\\"b\xEF\xBF\xBD\",\n  \"none\": null,\n"
            "  \"list\": [\n    0.5,\n    \"x\"\n  ]\n}");
}

TEST(Json, LeavesNothingForATerminalToObey) {
  EXPECT_EQ(json_quoted("\x1b[2J\x7f \xc2\x9b"), "\"\\u001b[2J\\u007f \\u009b\"");
}

}  // namespace
}  // namespace pgokit::report
