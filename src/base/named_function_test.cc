#include "base/named_function.h"

#include <gmock/gmock.h>

#include "base/edit_distance.h"
#include "base/function_name.h"

namespace pgokit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const FunctionNamed names[] = {{"main"},
                               {"_ZN4tool6Parser4nextEi"},
                               {"_ZN4tool6Parser4nextEv.llvm.77"},
                               {"_ZN5other4nextEv"},
                               {"_Z5twiceIiET_S0_"},
                               {"_ZN12_GLOBAL__N_16hiddenEv.__uniq.12"},
                               {"_ZN4toolplERKNS_1AE"},
                               {"helper.part.0"}};

std::string meant(std::string_view wanted) {
  auto found = functions_meant(wanted, names);
  if (!found) return found.error().message;
  std::string list;
  for (size_t i : *found) list += fmt::format("{} ", i);
  return list;
}

TEST(NamedFunction, IsFoundByWhatPeopleCallIt) {
  EXPECT_EQ(meant("main"), "0 ");
  EXPECT_EQ(meant("_ZN4tool6Parser4nextEi"), "1 ");
  EXPECT_EQ(meant("_ZN4tool6Parser4nextEv"), "2 ");
  EXPECT_EQ(meant("tool::Parser::next(int)"), "1 ");
  EXPECT_EQ(meant("tool::Parser::next"), "1 2 ");
  EXPECT_EQ(meant("Parser::next"), "1 2 ");
  EXPECT_EQ(meant("next"), "1 2 3 ");
  EXPECT_EQ(meant("twice"), "4 ");
  EXPECT_EQ(meant("hidden"), "5 ");
  EXPECT_EQ(meant("tool::operator+"), "6 ");
  EXPECT_EQ(meant("helper"), "7 ");
  EXPECT_EQ(meant("hidd"), "5 ");
}

TEST(NamedFunction, SaysWhatIsNear) {
  EXPECT_EQ(meant("maim"), "holds no function 'maim'; near to it: main");
  EXPECT_EQ(meant("nexd"), "holds no function 'nexd'; near to it: tool::Parser::next, other::next");
  EXPECT_EQ(meant("nothing like it"), "holds no function 'nothing like it'");
  EXPECT_EQ(meant("Pars"),
            "'Pars' is a part of 2 names: tool::Parser::next(), "
            "tool::Parser::next(int)");
}

TEST(NamedFunction, HashesAreFoundByLinkageNames) {
  std::string digits = fmt::to_string(function_guid("_Z1fv"));
  FunctionNamed hashed[] = {{digits, function_guid("_Z1fv")}};
  EXPECT_THAT(*functions_meant("_Z1fv", hashed), ElementsAre(0));
  EXPECT_THAT(*functions_meant(digits, hashed), ElementsAre(0));
  EXPECT_THAT(functions_meant("f", hashed).error().message, HasSubstr("names are hashes"));
}

TEST(NamedFunction, HasNoParameters) {
  EXPECT_EQ(without_parameters("f"), "f");
  EXPECT_EQ(without_parameters("a::f(int, b<(c)1>)"), "a::f");
  EXPECT_EQ(without_parameters("std::vector<int (*)(char)> a::f<int>(int) const"), "a::f");
  EXPECT_EQ(without_parameters("(anonymous namespace)::f()"), "(anonymous namespace)::f");
  EXPECT_EQ(without_parameters("a<int>::operator()(int)"), "a<int>::operator()");
  EXPECT_EQ(without_parameters("a::operator bool()"), "a::operator bool");
  EXPECT_EQ(without_parameters("operator<<(a&, b)"), "operator<<");
  EXPECT_EQ(without_parameters(""), "");
  EXPECT_EQ(without_parameters("(((<<>"), "");
}

TEST(EditDistance, CountsChanges) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("same", "same"), 0u);
  EXPECT_EQ(edit_distance("hsow", "show"), 2u);
  EXPECT_EQ(edit_distance("hsow", "show", true), 1u);
}

}  // namespace
}  // namespace pgokit
