#include "probe/descriptor_list.h"

#include <gmock/gmock.h>

#include "base/function_name.h"

namespace pgokit::probe {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::string problem(std::string_view text) {
  auto list = parse_descriptors(text, "list");
  return list ? "none" : list.error().message;
}

TEST(DescriptorList, IsTheBeginningOfAListing) {
  std::string text = fmt::format(
      "descriptors\n                  GUID                hash  name\n  {:>20}  {:>18}  f\n  {} 7 "
      "a b\r\n"
      "\nf: 0x10\n     10     1  block\n",
      function_guid("f"), 5, function_guid("a b"));
  auto list = parse_descriptors(text, "list");
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->size(), 2u);
  std::vector<std::string_view> names{(*list)[0].name, (*list)[1].name};
  EXPECT_THAT(names, UnorderedElementsAre("f", "a b"));
  EXPECT_LT((*list)[0].guid, (*list)[1].guid);
}

TEST(DescriptorList, SaysWhatIsWrong) {
  EXPECT_THAT(problem(""), HasSubstr("list: it has no descriptors"));
  EXPECT_THAT(problem("\n\nnames\n"), HasSubstr("list: it has no descriptors"));
  EXPECT_EQ(problem("names\n5 x f\n"), "list:2: it is not GUID HASH NAME");
  EXPECT_EQ(problem("5 6\n"), "list:1: it is not GUID HASH NAME");
  EXPECT_THAT(problem("5 6 f\n"), HasSubstr("list:1: 5 is not the GUID of 'f'"));
}

}  // namespace
}  // namespace pgokit::probe
