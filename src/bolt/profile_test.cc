#include "bolt/profile.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "bolt/fdata.h"
#include "bolt/preaggregated.h"
#include "test/support/tiny_program.h"

namespace pgokit::bolt {
namespace {

using testing::ElementsAre;

struct Tiny {
  std::string image = test::tiny_program().image();
  object::File file = *object::File::parse(as_bytes(image));
  Functions functions = Functions::of(file);

  std::string fdata(std::string_view preaggregated) const {
    auto read = read_preaggregated(preaggregated, "").value();
    std::string text;
    write_fdata(branch_profile(file, functions, read.traces, 1), functions,
                [&](std::string_view part) { text += part; });
    return text;
  }
};

TEST(BoltFunctions, HaveTheRoomUpToTheNext) {
  Tiny tiny;
  auto all = tiny.functions.all();
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(tiny.functions.name(all[0]), "main");
  EXPECT_EQ(all[0].size, 13);
  EXPECT_EQ(all[0].room, 16);
  EXPECT_EQ(tiny.functions.index_of(0x40100f), 0);
  EXPECT_EQ(tiny.functions.index_of(0x401010), 1);
  EXPECT_EQ(tiny.functions.index_of(0x401012), Functions::none);
  EXPECT_EQ(tiny.functions.index_of(0x400fff), Functions::none);
}

TEST(BoltProfile, HasBranchesAndWhatFellThrough) {
  Tiny tiny;
  // From outside into main, past the jump, to the call.
  EXPECT_EQ(tiny.fdata("T 0 401000 401007 5\nT 401007 401010 401011 5\n"),
            "1 main 2 1 main 4 0 5\n"
            "1 main 4 1 main 7 0 5\n"
            "1 main 7 1 leaf 0 0 5\n"
            "0 [unknown] 0 1 main 0 0 5\n");
}

TEST(BoltProfile, LeavesReturnsOutAndCountsMispredictions) {
  Tiny tiny;
  EXPECT_EQ(tiny.fdata("T 401011 40100c 40100c 5\nB 401002 401007 4 3\nB 40100c 0 9 0\n"),
            "1 main 2 1 main 7 3 4\n");
}

TEST(BoltProfile, TellsWhatCannotBe) {
  Tiny tiny;
  auto read = read_preaggregated("F 401000 401011 1\nF 401007 401000 2\nF 401000 500000 4\n", "");
  auto profile = branch_profile(tiny.file, tiny.functions, read->traces, 1);
  EXPECT_EQ(profile.ranges, 7);
  EXPECT_EQ(profile.mismatching, 3);
  EXPECT_EQ(profile.out_of_range, 4);
  EXPECT_TRUE(profile.rows.empty());
}

// A constructor's two names, and the part that is named after the second.
TEST(BoltFunctions, KnowPartsByAnyNameOfTheirFunction) {
  std::string image = test::ElfBuilder()
                          .segment(PF_R | PF_X, 0, 0x401000, 0x1000)
                          .section(".text", "\x90\xc3\x90\xc3",
                                   {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x401000})
                          .symbol("aC1", 0x401000, 2, 1)
                          .symbol("aC2", 0x401000, 2, 1)
                          .symbol("aC2.cold", 0x401002, 2, 1)
                          .image();
  auto functions = Functions::of(*object::File::parse(as_bytes(image)));
  ASSERT_EQ(functions.all().size(), 2);
  EXPECT_EQ(functions.name(functions.all()[0]), "aC1");
  EXPECT_NE(functions.all()[0].family, 0);
  EXPECT_EQ(functions.all()[0].family, functions.all()[1].family);
  EXPECT_TRUE(functions.all()[0].no_graph);
}

TEST(BoltProfile, OfAddresses) {
  Tiny tiny;
  auto profile = address_profile(tiny.functions,
                                 {{{0x401011}, 2}, {{0x401004}, 7}, {{0x401011}, 1}, {{1}, 3}});
  EXPECT_EQ(profile.samples, 13);
  EXPECT_EQ(profile.out_of_range, 3);
  std::string text;
  std::vector<std::string> events{"cycles:u:"};
  write_fdata(profile, events, tiny.functions, [&](std::string_view part) { text += part; });
  EXPECT_EQ(text, "no_lbr cycles:u:\n1 main 4 7\n1 leaf 1 3\n");
}

TEST(BoltProfile, EscapesNames) {
  std::string image =
      test::ElfBuilder()
          .segment(PF_R | PF_X, 0, 0x401000, 0x1000)
          .section(".text", "\x90\xc3", {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x401000})
          .symbol("a \\\nb", 0x401000, 2, 1)
          .image();
  auto file = *object::File::parse(as_bytes(image));
  auto functions = Functions::of(file);
  std::string text;
  write_fdata(address_profile(functions, {{{0x401001}, 1}}), {}, functions,
              [&](std::string_view part) { text += part; });
  EXPECT_EQ(text, "no_lbr\n1 a\\ \\\\?b 1 1\n");
}

TEST(BoltProgram, SaysWhatBoltDoesNotTake) {
  auto refusal = [](const test::ElfBuilder& builder) {
    std::string image = builder.image();
    auto file = *object::File::parse(as_bytes(image));
    auto status = check_program(file);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(refusal(test::tiny_program()), "");
  EXPECT_THAT(refusal(test::tiny_program().machine(EM_RISCV)), testing::HasSubstr("RISC-V"));
  EXPECT_THAT(refusal(test::ElfBuilder()), testing::HasSubstr("stripped"));
  EXPECT_THAT(refusal(test::tiny_program().section(".note.bolt_info", "x")),
              testing::HasSubstr("already"));
}

}  // namespace
}  // namespace pgokit::bolt
