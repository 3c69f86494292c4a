#include "report/page_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pgokit::report {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

size_t count(const std::string& text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(PageMaps, ASquarePerPage) {
  auto svg =
      page_maps({{.title = "now <1>", .pages = 200, .touched = {{0, 0}, {150, 1}, {900, 0}}}});
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr("now &lt;1&gt;"));
  EXPECT_EQ(count(svg, "<rect"), 3u) << "the ground and two pages";
  EXPECT_EQ(count(svg, "h7v7h-7z"), 198u);
}

TEST(PageMaps, LargeProgramsHaveSeveralPagesInASquare) {
  auto svg = page_maps({{.title = "large", .pages = 100'000, .touched = {{99'999, 0.5}}}, {}});
  EXPECT_THAT(svg, HasSubstr("13 pages in a square"));
  EXPECT_EQ(count(svg, "<rect"), 2u);
}

}  // namespace
}  // namespace pgokit::report
