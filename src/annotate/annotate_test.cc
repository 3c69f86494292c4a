// Counts laid over a program of a few functions.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "annotate/code_heat.h"
#include "annotate/function_code.h"
#include "annotate/function_list.h"
#include "annotate/function_remarks.h"
#include "annotate/source_text.h"
#include "test/support/shell.h"
#include "test/support/tail_call_program.h"

namespace pgokit::annotate {
namespace {

class AnnotateTest : public testing::Test {
 protected:
  program::Program open() {
    dir_.write("tail", test::tail_call_program().image());
    auto program = *program::Program::open(fmt::format("{}/tail", dir_.path()), {});
    EXPECT_TRUE(program.load_functions(1));
    return program;
  }
  // All of a function's code ran so often, and was entered by a call from outside.
  samples::Counts whole(const program::FunctionRange& range, u64 count) const {
    return {{{{range.start}, {range.end - 1}, count}}, {{samples::external, {range.start}, count}}};
  }

  test::ScratchDir dir_;
  program::Program program_ = open();
};

TEST_F(AnnotateTest, NothingRan) {
  CodeCounts counts(program_, {});
  EXPECT_TRUE(counts.functions().empty());
  EXPECT_EQ(counts.at(program_.functions().ranges()[0].start), 0u);
  EXPECT_TRUE(heat_of(program_, counts).touched_lines.empty());
  EXPECT_TRUE(list_functions(program_, counts, nullptr).functions.empty());
}

TEST_F(AnnotateTest, CountsOfOutsideOfTheProgramAreNoFunctions) {
  samples::Counts counts{{{{1}, {2}, 5}, {{~u64{0} - 5}, {~u64{0}}, 7}}, {}};
  EXPECT_TRUE(CodeCounts(program_, counts).functions().empty());
}

TEST_F(AnnotateTest, SumsAreThoseOfTheInstructions) {
  const auto& range = program_.functions().ranges()[0];
  CodeCounts counts(program_, whole(range, 3));
  ASSERT_EQ(counts.functions().size(), 1u);
  const auto& one = counts.functions()[0];
  EXPECT_EQ(one.entries, 3u);
  EXPECT_EQ(one.hottest, 3u);
  EXPECT_EQ(one.ran_bytes, range.end - range.start);
  auto reader = *CodeReader::of(program_, counts, isa::Syntax::att);
  auto code = reader.read(range.function);
  u64 sum = 0;
  for (const auto& instruction : code.instructions) sum += instruction.count;
  EXPECT_EQ(one.instructions, sum);
  EXPECT_EQ(one.instructions, 3 * code.instructions.size());
  ASSERT_EQ(code.callers.size(), 1u);
  EXPECT_EQ(code.callers[0].count, 3u);
  EXPECT_FALSE(code.callers[0].function);
}

TEST_F(AnnotateTest, ReadsNoMoreCodeThanItIsAskedFor) {
  const auto& range = program_.functions().ranges()[0];
  CodeCounts counts(program_, whole(range, 3));
  auto reader = *CodeReader::of(program_, counts, isa::Syntax::intel);
  auto code = reader.read(range.function, 1);
  EXPECT_EQ(code.left_out, range.end - range.start - 1);
  EXPECT_EQ(code.instructions.size(), 1u);
}

TEST_F(AnnotateTest, AnOrderMovesHeatAndKeepsItsSum) {
  const auto& table = program_.functions();
  const auto& last = table.ranges().back();
  CodeCounts counts(program_, whole(last, 9));
  std::vector<std::string_view> order{table.name(last.function), "nobody"};
  auto now = heat_of(program_, counts), then = heat_of(program_, counts, &order);
  EXPECT_EQ(then.placed, 1u);
  auto sum = [](const CodeHeat& heat) {
    u64 all = 0;
    for (const auto& page : heat.touched) all += page.instructions;
    return all;
  };
  auto sum_of_lines = [](const CodeHeat& heat) {
    u64 all = 0;
    for (const auto& line : heat.touched_lines) all += line.instructions;
    return all;
  };
  EXPECT_EQ(sum_of_lines(now), counts.instructions());
  EXPECT_EQ(sum_of_lines(then), counts.instructions());
  EXPECT_EQ(sum(now), counts.instructions());
  EXPECT_EQ(sum(then), counts.instructions());
}

TEST(RemarkFile, IsThatOfTheDebugInformation) {
  EXPECT_TRUE(is_file("a.c", "/src/a.c"));
  EXPECT_TRUE(is_file("./lib/../a.c", "/src/a.c"));
  EXPECT_TRUE(is_file("../src/a.c", "/src/a.c"));
  EXPECT_TRUE(is_file("/src/a.c", "/src/a.c"));
  EXPECT_FALSE(is_file("a.c", "/src/aa.c"));
  EXPECT_FALSE(is_file("", "/src/a.c"));
  EXPECT_FALSE(is_file("/a.c", "/src/a.c"));
}

TEST(FunctionRemarks, AreThoseOfTheFunctionsByLine) {
  constexpr std::string_view yaml =
      "--- !Passed\nPass: inline\nName: Inlined\nDebugLoc: { File: a.c, Line: 7, Column: 3 }\n"
      "Function: f\nArgs:\n  - Callee: g\n  - String: ' inlined into '\n  - Caller: f\n...\n"
      "--- !Missed\nPass: licm\nName: Load\nDebugLoc: { File: a.c, Line: 5, Column: 1 }\n"
      "Function: f\nArgs:\n  - String: not moved\n...\n"
      "--- !Missed\nPass: licm\nName: Load\nDebugLoc: { File: a.c, Line: 5, Column: 1 }\n"
      "Function: f\nArgs:\n  - String: not moved\n...\n"
      "--- !Analysis\nPass: asm-printer\nName: InstructionCount\nFunction: f\n...\n"
      "--- !Passed\nPass: inline\nName: Inlined\nFunction: g\n...\n";
  FunctionRemarks remarks({"f"});
  ASSERT_TRUE(remarks.add({reinterpret_cast<const u8*>(yaml.data()), yaml.size()}));
  const auto& list = remarks.of("f.llvm.17");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].text, "not moved");
  EXPECT_EQ(list[0].times, 2u);
  EXPECT_EQ(word_of(list[0].kind), "missed");
  EXPECT_EQ(list[1].text, "g inlined into f");
  EXPECT_EQ(list[1].line, 7u);
  EXPECT_TRUE(remarks.of("g").empty());
}

TEST(FunctionRemarks, ABrokenFileIsAnError) {
  constexpr std::string_view broken = "--- !Passed\nPass: [\n";
  FunctionRemarks remarks({"f"});
  EXPECT_FALSE(remarks.add({reinterpret_cast<const u8*>(broken.data()), broken.size()}));
}

TEST(ProfileList, AddsUpContextsOfAFunction) {
  profile::Profile profile;
  auto f = profile.names.intern("f");
  auto main = profile.contexts.top(profile.names.intern("main"));
  profile.function(f).add_total(5);
  profile.function(profile.contexts.child(main, {1, 0}, f)).add_total(7);
  auto list = list_functions(profile);
  ASSERT_EQ(list.functions.size(), 1u);
  EXPECT_EQ(list.functions[0].samples, 12u);
  EXPECT_EQ(list.all(), 12u);
}

TEST(Branch, HasAProbabilityWhereItRan) {
  Branch branch;
  EXPECT_FALSE(branch.probability(0));
  branch.taken = 3;
  EXPECT_DOUBLE_EQ(*branch.probability(4), 0.75);
  EXPECT_DOUBLE_EQ(*branch.probability(1), 1.0);
}

TEST(SourceText, IsOnlyReadWhereItIsText) {
  test::ScratchDir dir;
  dir.write("a.c", std::string("one\ntwo"));
  dir.write("b.c", std::string("one\0two", 7));
  auto path = [&](const char* name) { return fmt::format("{}/{}", dir.path(), name); };
  auto text = read_source(path("a.c"));
  ASSERT_TRUE(text.is_there());
  EXPECT_EQ(text.line(2), "two");
  EXPECT_EQ(text.line(0), "");
  EXPECT_EQ(text.line(3), "");
  EXPECT_FALSE(read_source(path("b.c")).is_there());
  EXPECT_FALSE(read_source(path("none.c")).is_there());
  EXPECT_FALSE(read_source("/dev/zero").is_there());
}

TEST(SourceText, HasLinesWithoutTheirEnds) {
  test::ScratchDir dir;
  dir.write("dos.c", std::string("one\r\n\r\nthree"));
  auto text = read_source(fmt::format("{}/dos.c", dir.path()));
  EXPECT_EQ(text.line(1), "one");
  EXPECT_EQ(text.line(2), "");
  EXPECT_EQ(text.line(3), "three");
}

}  // namespace
}  // namespace pgokit::annotate
