#include "profile/merge/merge_files.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "test/support/profile_builder.h"
#include "test/support/shell.h"

namespace pgokit::profile {
namespace {

using test::random_profile;
using test::RandomProfile;
using testing::ElementsAre;
using testing::HasSubstr;

class MergeFiles : public testing::Test {
 protected:
  MergeInput save(const std::string& name, std::string_view bytes, u64 weight = 1) const {
    folder_.write(name, bytes);
    return {folder_.file(name), weight};
  }
  MergeInput save(const std::string& name, const Profile& profile, Format format,
                  u64 weight = 1) const {
    return save(name, write_profile(profile, format, {.vtables = true}).value(), weight);
  }
  static std::string sum(const std::vector<MergeInput>& inputs, const MergeOptions& options = {}) {
    auto merged = merge_files(inputs, options);
    EXPECT_TRUE(merged.has_value()) << merged.error().message;
    return merged ? write_extbinary(merged->profile, {.vtables = true}).value() : "";
  }

  test::ScratchDir folder_;
};

// Inputs of all kinds of one shape, in all forms that hold it.
std::vector<Format> forms_of(const RandomProfile& shape) {
  if (shape.probes || shape.contexts) return {Format::text, Format::extbinary};
  return {Format::text, Format::extbinary, Format::binary};
}

constexpr RandomProfile shapes[] = {{.seed = 1},
                                    {.seed = 2, .probes = true},
                                    {.seed = 3, .contexts = true},
                                    {.seed = 4, .probes = true, .contexts = true}};

TEST_F(MergeFiles, KeepsTheNotesOfAllInAnyOrderAndGrouping) {
  auto noted = [&](u64 date) {
    Profile profile = random_profile({.seed = 5});
    Note note;
    note.date = date;
    profile.notes.add(note);
    auto form = date % 2 ? Format::text : Format::extbinary;
    return save(fmt::format("noted{}", date), *write_profile(profile, form, {.notes = true}));
  };
  std::vector<MergeInput> inputs;
  for (u64 date = 1; date <= Notes::most_kept + 4; ++date) inputs.push_back(noted(date));
  auto write = [](const MergedFiles& merged) {
    return write_extbinary(merged.profile, {.notes = true}).value();
  };
  auto all = merge_files(inputs, {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->profile.notes.newest().size(), Notes::most_kept);
  EXPECT_EQ(all->profile.notes.date(), Notes::most_kept + 4);
  EXPECT_EQ(all->profile.notes.older(), 4);
  std::vector<MergeInput> rest(inputs.begin() + 7, inputs.end()),
      first(inputs.begin(), inputs.begin() + 7);
  std::vector<MergeInput> sums{save("rest", write(*merge_files(rest, {}))),
                               save("first", write(*merge_files(first, {})))};
  EXPECT_TRUE(write(*merge_files(sums, {})) == write(*all));
}

TEST_F(MergeFiles, DependsOnNeitherOrderNorGroupingNorThreads) {
  for (auto shape : shapes) {
    SCOPED_TRACE(shape.seed);
    std::vector<MergeInput> inputs;
    auto forms = forms_of(shape);
    for (u32 i = 0; i < 6; ++i) {
      shape.seed += 10;
      auto profile = random_profile(shape);
      for (auto& f : profile.functions()) f.samples.checksum *= 1 + i % 2;  // two versions
      inputs.push_back(save(fmt::format("{}", i), profile, forms[i % forms.size()], 1 + i % 3));
    }
    auto all = sum(inputs);
    for (unsigned threads : {1u, 5u}) EXPECT_TRUE(sum(inputs, {.threads = threads}) == all);
    auto reversed = inputs;
    std::ranges::reverse(reversed);
    EXPECT_TRUE(sum(reversed) == all);
    std::vector<MergeInput> groups;
    for (size_t first : {0, 2, 4})
      groups.push_back(
          save(fmt::format("group{}", first), sum({inputs[first], inputs[first + 1]})));
    EXPECT_TRUE(sum({groups[2], groups[0], groups[1]}) == all);
  }
}

TEST_F(MergeFiles, AddsAsTheModelDoes) {
  for (auto shape : {RandomProfile{.seed = 5, .vtables = true}, RandomProfile{.seed = 6}}) {
    auto a = random_profile(shape);
    shape.seed += 20;
    auto b = random_profile(shape);
    Profile model;
    merge(model, a, 3);
    merge(model, b);
    model.sort();
    auto expected = write_extbinary(model, {.vtables = true}).value();
    EXPECT_TRUE(sum({save("a", a, Format::extbinary, 3), save("b", b, Format::extbinary)}) ==
                expected);
  }
}

TEST_F(MergeFiles, TakesTheLargestChecksum) {
  auto a = save("a", "f:5:1\n 1: 5\n !CFGChecksum: 7\ng:1:1\n 1: 1\n !CFGChecksum: 3\n");
  auto b = save("b", "f:6:1\n 1: 6\n !CFGChecksum: 8\ng:1:1\n 1: 1\n !CFGChecksum: 3\n");
  auto merged = merge_files({b, a, b}, {});
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->checksum_mismatches, 1);
  EXPECT_EQ(write_text(merged->profile),
            "f:12:2\n 1: 12\n !CFGChecksum: 8\ng:3:3\n 1: 3\n !CFGChecksum: 3\n");
  auto first = merge_files({a, b}, {.rule = ChecksumRule::first});
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(write_text(first->profile),
            "f:5:1\n 1: 5\n !CFGChecksum: 7\ng:2:2\n 1: 2\n !CFGChecksum: 3\n");
  EXPECT_THAT(first->mismatches, ElementsAre(b.path + ": f: Function hash mismatch"));
}

TEST_F(MergeFiles, LeavesOutWhatIsBrokenWhole) {
  auto good = random_profile({.seed = 9});
  auto bytes = write_extbinary(good).value();
  auto a = save("a", bytes);
  auto cut = save("cut", std::string_view(bytes).substr(0, bytes.size() - 1));
  auto bad = save("bad", "f:5:1\n 1: 5\n 2 x\n");
  auto merged = merge_files({cut, a, bad, {"/nonexistent", 1}}, {});
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->used(), 1);
  EXPECT_THAT(merged->inputs[0].error, HasSubstr(cut.path + ": section "));
  EXPECT_THAT(merged->inputs[2].error, HasSubstr(bad.path + ": line 3"));
  EXPECT_THAT(merged->inputs[3].error, HasSubstr("/nonexistent: cannot open"));
  EXPECT_TRUE(write_extbinary(merged->profile).value() == bytes);
  EXPECT_FALSE(merge_files({a, bad}, {.strict = true}));
}

TEST_F(MergeFiles, CountsEqualContentsOnce) {
  auto bytes = write_extbinary(random_profile({.seed = 9})).value();
  auto a = save("a", bytes), b = save("b", bytes, 2), c = save("c", bytes);
  auto merged = merge_files({a, b, c}, {.distinct = true});
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->used(), 1);
  EXPECT_TRUE(merged->inputs[0].duplicate && !merged->inputs[1].duplicate);
  EXPECT_TRUE(write_extbinary(merged->profile, {.vtables = true}).value() == sum({b}));
}

TEST_F(MergeFiles, RefusesWhatDoesNotAddUp) {
  auto lines = save("lines", "f:5:1\n 1: 5\n");
  auto probes = save("probes", "f:5:1\n 1: 5\n !CFGChecksum: 7\n");
  auto contexts = save("contexts", "[g:1 @ f]:5:1\n 1: 5\n");
  EXPECT_THAT(merge_files({probes, lines}, {}).error().message, HasSubstr("based on probes"));
  EXPECT_THAT(merge_files({lines, contexts}, {}).error().message, HasSubstr("convert it first"));
  auto as_peer = merge_files({lines, probes}, {.rule = ChecksumRule::first});
  EXPECT_EQ(as_peer.error().message,
            "cannot merge probe-based profile with non-probe-based profile");
}

TEST_F(MergeFiles, FindsTheNamesOfHashes) {
  auto profile = random_profile({.seed = 11});
  auto names = save("names", profile, Format::extbinary);
  auto hashes = save("hashes", write_extbinary(profile, {.md5_names = true}).value());
  auto merged = merge_files({hashes, names}, {});
  ASSERT_TRUE(merged.has_value());
  EXPECT_TRUE(merged->md5_names);
  EXPECT_TRUE(write_extbinary(merged->profile, {.vtables = true}).value() == sum({names, names}));
}

TEST_F(MergeFiles, RenamesWhileItReads) {
  auto text = save("text", "f.llvm.1:5:1\n 1: 5 g.part.2:1\n");
  auto binary = save("binary", "f:7:1\n 1: 7 g:1\n");
  auto merged =
      merge_files({text, binary},
                  {.rename = [](std::string_view name) { return name.substr(0, name.find('.')); }});
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(write_text(merged->profile), "f:12:2\n 1: 12 g:2\n");
}

}  // namespace
}  // namespace pgokit::profile
