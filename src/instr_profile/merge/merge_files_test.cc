#include "instr_profile/merge/merge_files.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "instr_profile/indexed/write_indexed.h"
#include "instr_profile/text/write_text.h"
#include "test/support/raw_builder.h"

namespace pgokit::instr_profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class MergeInstr : public testing::Test {
 protected:
  MergeInstr() { std::filesystem::create_directories(folder_); }
  ~MergeInstr() override { std::filesystem::remove_all(folder_); }

  MergeInput file(const std::string& name, const std::string& contents, u64 weight = 1) {
    std::ofstream(folder_ / name, std::ios::binary) << contents;
    return {(folder_ / name).string(), weight};
  }

  // Of a program at another address in each process.
  static std::string raw(u64 seed, u64 base) {
    test::RawBuilder raw;
    for (u64 i = 0; i < 3000; ++i) {
      test::RawFunction f{.name = "f" + std::to_string(i),
                          .hash = i * 7,
                          .counters = {seed * i, i % 5, seed},
                          .address = base + 16 * i};
      if (i % 10 == 0) f.sites[0] = {{{base + 16 * (i + seed % 3), seed}, {base + 5, 1}}, {}};
      if (i % 20 == 0) f.bitmap = {static_cast<u8>(1 << seed % 8)};
      raw.function(std::move(f));
    }
    return raw.file();
  }

  static std::string text_of(const MergedFiles& merged) {
    std::string text;
    write_text(merged.profile, false, [&](std::string_view piece) { text += piece; });
    return text;
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("merge_instr." + std::to_string(getpid()) + "." +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(MergeInstr, FilesOfOneProgramAreAddedAsAnyOthers) {
  std::vector<MergeInput> raws, indexed;
  for (u64 i = 0; i < 40; ++i) {
    raws.push_back(file(fmt::format("{}.profraw", i), raw(i, 0x1000 * (i + 1)), i % 3 + 1));
    auto one = *merge_files(std::vector{raws.back()}, {});
    indexed.push_back(file(fmt::format("{}.profdata", i), write_indexed(one.profile, false)));
  }
  auto all = *merge_files(raws, {.threads = 1});
  EXPECT_EQ(all.used(), 40);
  EXPECT_EQ(text_of(all), text_of(*merge_files(raws, {.threads = 3})));
  EXPECT_EQ(text_of(all), text_of(*merge_files(indexed, {})));
  std::ranges::reverse(raws);
  EXPECT_EQ(text_of(all), text_of(*merge_files(raws, {})));
}

TEST_F(MergeInstr, ABrokenInputIsLeftOutWhole) {
  auto whole = raw(3, 0x1000);
  std::vector<MergeInput> inputs{file("a", whole),
                                 file("cut", whole.substr(0, whole.size() - 8)),
                                 file("b", whole),
                                 file("empty", ""),
                                 file("bad", "f0\n0\n3\n1\n1\n1\ng\nx\n"),
                                 {(folder_ / "nowhere").string(), 1}};
  auto merged = *merge_files(inputs, {});
  EXPECT_EQ(merged.used(), 2);
  EXPECT_THAT(merged.inputs[1].error, HasSubstr("cut: "));
  EXPECT_TRUE(merged.inputs[3].empty);
  EXPECT_THAT(merged.inputs[4].error, HasSubstr("bad: malformed"));
  EXPECT_THAT(merged.inputs[5].error, HasSubstr("nowhere"));
  EXPECT_EQ(text_of(merged), text_of(*merge_files(std::vector{inputs[0], inputs[2]}, {})));
}

TEST_F(MergeInstr, KindsDoNotMix) {
  std::vector<MergeInput> inputs{file("fe", ":fe\nf\n1\n1\n1\n"), file("ir", ":ir\nf\n1\n1\n1\n")};
  auto merged = *merge_files(inputs, {});
  EXPECT_EQ(merged.used(), 1);
  EXPECT_TRUE(merged.inputs[1].other_kind);
  EXPECT_THAT(merged.inputs[1].error, HasSubstr("ir: its counters are of another kind"));
  test::RawBuilder raw({.kind = 0});
  raw.function({.name = "f"});
  inputs = {file("any", "f\n1\n1\n1\n"), file("raw", raw.file()), inputs[1], inputs[0]};
  merged = *merge_files(inputs, {});
  EXPECT_TRUE(merged.inputs[2].other_kind);
  EXPECT_EQ(merged.used(), 3);
}

TEST_F(MergeInstr, MismatchesAreTold) {
  std::vector<MergeInput> inputs{file("a", "f\n1\n2\n1\n18446744073709551610\ng\n1\n1\n1\n"),
                                 file("b", "f\n1\n2\n1\n9\ng\n1\n2\n1\n1\n")};
  std::vector<std::pair<std::string, Mismatch>> told;
  auto take = [&](const MergeInput&, Mismatch what, std::string_view name) {
    told.emplace_back(name, what);
  };
  auto merged = *merge_files(inputs, {.rules = Rules::llvm, .mismatch = take});
  EXPECT_THAT(told, ElementsAre(Pair("f", Mismatch::overflow), Pair("g", Mismatch::counters)));
  EXPECT_THAT(merged.profile.counters, ElementsAre(2, largest_count, 1));
}

TEST_F(MergeInstr, TheOrderOfInputsDoesNotMatter) {
  std::vector<MergeInput> inputs{file("a", "f\n1\n1\n4\n1\n1\n1\n2\n5:10\n7:20\ng\n1\n1\n1\n"),
                                 file("b", "f\n1\n1\n3\n1\n1\n1\n2\n8:30\n5:2\ng\n1\n2\n1\n1\n", 3),
                                 file("c", "g\n1\n2\n4\n4\nf\n1\n1\n1\n1\n1\n1\n1\n8:1\n")};
  auto text = text_of(*merge_files(inputs, {}));
  EXPECT_THAT(text, HasSubstr("3\n8:91\n7:20\n5:16\n"));
  std::ranges::sort(inputs, {}, &MergeInput::path);
  do EXPECT_EQ(text_of(*merge_files(inputs, {})), text);
  while (std::ranges::next_permutation(inputs, {}, &MergeInput::path).found);
}

}  // namespace
}  // namespace pgokit::instr_profile
