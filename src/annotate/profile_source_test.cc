#include "annotate/profile_source.h"

#include <gmock/gmock.h>

#include "test/support/context_profiles.h"
#include "test/support/shell.h"

namespace pgokit::annotate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Definition> found_in(std::string_view text) {
  Definitions found;
  find_definitions(text, "a.cc", {"f"}, found);
  return found["f"];
}

TEST(FindDefinitions, TakesWhatHasABody) {
  EXPECT_THAT(found_in("int f(int x);\nint f(int x) {\n  return x;\n}\n"),
              ElementsAre(Definition{"a.cc", "", 2, 4}));
  EXPECT_THAT(found_in("static void\nf (int (*g)(int), char c)\n{\n}\n"),
              ElementsAre(Definition{"a.cc", "", 2, 4}));
  EXPECT_THAT(found_in("int A::B::f() const noexcept(false) { return 1; }"),
              ElementsAre(Definition{"a.cc", "A::B", 1, 1}));
  EXPECT_THAT(found_in("auto f() -> std::vector<int> {}"),
              ElementsAre(Definition{"a.cc", "", 1, 1}));
  EXPECT_THAT(found_in("f::f(int a) : a_(a), b_{a} {\n}\n"),
              ElementsAre(Definition{"a.cc", "f", 1, 2}));
}

TEST(FindDefinitions, LeavesOutCallsCommentsStringsAndDirectives) {
  for (const char* text :
       {"int g() { return f(1); }", "int g() { if (f(1)) { h(); } }", "// f() {}\n", "/* f() {} */",
        "const char* s = \"f() {}\";", "#define X f() {}\n", "#define X \\\n f() {}\n",
        "auto s = R\"x(f() {})x\";", "char c = '\"'; int y = f(2);", "int x = f(1) ? 2 : 3;",
        "g(f(1), 2);", "int f;", "f() = default;", "struct f {};"})
    EXPECT_THAT(found_in(text), IsEmpty()) << text;
}

TEST(FindDefinitions, EndsWithTheText) {
  for (const char* text : {"f(", "f() {", "f() : ", "\"f", "R\"x(", "/*", "'", "#\\", "f()", "\\"})
    found_in(text);
}

class ProfileSourceTest : public testing::Test {
 protected:
  ProfiledSource source_of(std::string_view text, const std::string& function) {
    auto folder = SourceFolder::open(dir_.path());
    EXPECT_TRUE(folder);
    return profiled_sources(test::profile_of(text), {function}, *folder)[0];
  }
  test::ScratchDir dir_;
};

TEST_F(ProfileSourceTest, LinesCountFromTheFirstOne) {
  dir_.write("a.c", "\n\nint f(int x) {\n  g(x);\n  return h(x);\n}\n");
  auto source = source_of("f:30:5\n 1: 7 g:7\n 1.2: 9\n 65535: 3\n 2: h:4\n  0: 4\n", "f");
  ASSERT_TRUE(source.definition) << source.why_not;
  EXPECT_EQ(source.definition->line, 3u);
  ASSERT_EQ(source.lines.size(), 2u);
  EXPECT_EQ(source.lines[0].line, 4u);
  EXPECT_EQ(source.lines[0].count, 9u);
  EXPECT_EQ(source.lines[0].callees[0].name, "g");
  EXPECT_EQ(source.lines[1].line, 5u);
  EXPECT_EQ(source.lines[1].count, 4u);
  EXPECT_TRUE(source.lines[1].callees[0].inlined);
}

TEST_F(ProfileSourceTest, OneThatIsTooShortIsAnother) {
  dir_.write("a.c", "int f(int x) { return x; }\n");
  EXPECT_THAT(source_of("f:1:1\n 3: 1\n", "f").why_not, HasSubstr("do not fit"));
  dir_.write("b.c", "int f(int x) {\n\n\n  return x;\n}\n");
  EXPECT_THAT(source_of("f:1:1\n 3: 1\n", "f").definition->file, HasSubstr("b.c"));
  EXPECT_THAT(source_of("f:1:1\n 0: 1\n", "f").why_not, HasSubstr("several"));
  EXPECT_THAT(source_of("nobody:1:1\n 0: 1\n", "nobody").why_not, HasSubstr("no definition"));
}

TEST_F(ProfileSourceTest, ScopesTellFunctionsApart) {
  dir_.write("a.cc", "int A::f() {\n  return 1;\n}\nint B::f() {\n  return 2;\n}\nint f() {\n}\n");
  EXPECT_EQ(source_of("_ZN2ns1B1fEv:1:1\n 1: 1\n", "_ZN2ns1B1fEv").definition->line, 4u);
  EXPECT_EQ(source_of("_Z1fv:1:1\n 1: 1\n", "_Z1fv").definition->line, 7u);
}

TEST(SourceFolder, WithoutSourcesIsAnError) {
  test::ScratchDir dir;
  EXPECT_FALSE(SourceFolder::open(dir.path()));
  EXPECT_FALSE(SourceFolder::open(std::string(dir.path()) + "/none"));
}

}  // namespace
}  // namespace pgokit::annotate
