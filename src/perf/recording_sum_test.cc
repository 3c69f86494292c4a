#include "perf/recording_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perf/software_event.h"
#include "perf/test_recordings.h"
#include "test/support/shell.h"

namespace pgokit::perf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string first_id = "0123456789abcdef0123", second_id = "another build id, it";

// A recording of /bin/app and a library, whose numbers in the list differ from one to the next.
struct Run {
  BranchCounts counts;
  u64 start = 0x400000;
  std::string command = "app";

  test::Image image() const {
    return test::recording({software_event(7, true)}, [&](Writer& writer) {
      RecordId at{.pid = 7, .tid = 7, .time = 1};
      for (const auto& file : counts.files)
        writer.mmap2(
            at, {.start = start, .size = 0x2000, .path = file.path, .build_id = file.build_id});
      writer.features().cmdline = {"pgokit", "record", command};
      writer.features().hostname = "here";
      writer.features().branch_counts = encode(counts);
    });
  }
};

Run whole_run(u64 count, bool library_first = false, const std::string& id = first_id) {
  Run run;
  BranchCounts::File app{"/bin/app", as_bytes(id)}, library{"/lib/a.so", {}};
  u32 a = library_first ? 1 : 0, l = 1 - a;
  run.counts.files = library_first ? std::vector{library, app} : std::vector{app, library};
  run.counts.branches = {{{a, 0x10}, {a, 0x20}, count}, {{a, 0x30}, {l, 8}, 2}, {{l, 9}, {}, 1}};
  std::ranges::sort(run.counts.branches);
  run.counts.begun = {{{a, 0}, 1}};
  run.counts.ended = {{{}, 1}};
  return run;
}

Status add(RecordingSum& sum, const test::Image& image, u64 weight = 1) {
  auto recording = TRY(Recording::open(image));
  auto counts = TRY(decode_branch_counts(recording.features().branch_counts));
  return sum.add(recording, std::move(counts), weight);
}

test::Image written(const RecordingSum& sum) {
  pgokit::test::ScratchDir scratch;
  EXPECT_TRUE(sum.write(scratch.file("sum.perf")));
  return test::read_image(scratch.file("sum.perf"));
}

test::Image sum_of(const std::vector<test::Image>& images) {
  RecordingSum sum;
  for (const auto& image : images) EXPECT_TRUE(add(sum, image));
  return written(sum);
}

TEST(RecordingSum, CountsOfTheSamePlacesAddUp) {
  RecordingSum sum;
  ASSERT_TRUE(add(sum, whole_run(7).image()));
  ASSERT_TRUE(add(sum, whole_run(5, true).image(), 3));
  auto image = written(sum);
  auto recording = Recording::open(image);
  ASSERT_TRUE(recording);
  auto counts = decode_branch_counts(recording->features().branch_counts);
  ASSERT_TRUE(counts);
  ASSERT_EQ(counts->files.size(), 2U);
  EXPECT_EQ(counts->files[0].path, "/bin/app");
  EXPECT_EQ(as_text(counts->files[0].build_id), first_id);
  EXPECT_TRUE(counts->of_whole_run());
  EXPECT_THAT(counts->branches, ElementsAre(BranchCounts::Branch{{0, 0x10}, {0, 0x20}, 22},
                                            BranchCounts::Branch{{0, 0x30}, {1, 8}, 8},
                                            BranchCounts::Branch{{1, 9}, {}, 4}));
  EXPECT_THAT(counts->begun, ElementsAre(BranchCounts::Limit{{0, 0}, 4}));
  EXPECT_THAT(counts->ended, ElementsAre(BranchCounts::Limit{{}, 4}));
  EXPECT_EQ(recording->features().hostname, "here");
}

TEST(RecordingSum, OrderAndGroupingDoNotMatter) {
  auto a = whole_run(7).image(), b = whole_run(5, true).image(),
       c = whole_run(1, false, second_id).image();
  auto other = whole_run(3);
  other.start = 0x100000, other.command = "app again";
  auto d = other.image();
  auto all = sum_of({a, b, c, d});
  EXPECT_EQ(sum_of({d, c, b, a}), all);
  EXPECT_EQ(sum_of({sum_of({b, d}), sum_of({a, c})}), all);
  EXPECT_EQ(sum_of({all}), all);
}

TEST(RecordingSum, BuildsOfOnePathStayApart) {
  auto image = sum_of({whole_run(7).image(), whole_run(5, true, second_id).image()});
  auto recording = Recording::open(image);
  auto counts = decode_branch_counts(recording->features().branch_counts);
  ASSERT_TRUE(counts);
  ASSERT_EQ(counts->files.size(), 3U);
  EXPECT_THAT(counts->branches,
              testing::IsSupersetOf({BranchCounts::Branch{{0, 0x10}, {0, 0x20}, 7},
                                     BranchCounts::Branch{{1, 0x10}, {1, 0x20}, 5}}));
  // The list of build ids can name one build of a path; mappings name each.
  EXPECT_TRUE(recording->features().build_ids.empty());
  std::vector<std::string> mapped;
  ReadCounts unreadable;
  recording->for_each_other([&](const Record& record) {
    Mapping mapping;
    if (recording->parser().mapping(record, mapping, unreadable) && mapping.path == "/bin/app")
      mapped.emplace_back(as_text(mapping.build_id));
  });
  EXPECT_THAT(mapped, ElementsAre(first_id, second_id));
}

TEST(RecordingSum, ScalesAreBroughtToOne) {
  auto with_scale = [](u64 scale) {
    auto run = whole_run(10);
    run.counts.scale = scale, run.counts.windows = Windows::of(2, 0.9);
    return run.image();
  };
  RecordingSum sum;
  ASSERT_TRUE(add(sum, with_scale(4)));
  ASSERT_TRUE(add(sum, with_scale(6)));
  auto sums = sum.sums();
  EXPECT_EQ(sums.scale, 12U);
  EXPECT_EQ(sums.windows.number, 4U);
  EXPECT_NEAR(sums.windows.likeness().value(), 0.93, 0.001);
  EXPECT_EQ(sums.branches[0].count, 10U * 3 + 10 * 2);
  auto status = add(sum, with_scale((u64{1} << 62) + 1));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("too far apart"));
  EXPECT_EQ(sum.sums().branches, sums.branches);
}

TEST(RecordingSum, SumsSaturate) {
  RecordingSum sum;
  ASSERT_TRUE(add(sum, whole_run(u64(-2)).image()));
  ASSERT_TRUE(add(sum, whole_run(5).image(), u64(-1)));
  EXPECT_EQ(sum.sums().branches[0].count, u64(-1));
}

TEST(RecordingSum, WholeRunsAndWindowsDoNotAddUp) {
  auto windows = whole_run(3);
  windows.counts.windows.number = 1;
  RecordingSum sum;
  ASSERT_TRUE(add(sum, whole_run(1).image()));
  auto status = add(sum, windows.image());
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("merge each kind by itself"));
  EXPECT_EQ(sum.sums().branches[0].count, 1U);
}

TEST(RecordingSum, CountsOfNothingAreRefused) {
  RecordingSum sum;
  auto run = whole_run(1);
  run.counts.branches.clear();
  EXPECT_FALSE(add(sum, run.image()));
  EXPECT_TRUE(sum.empty());
}

}  // namespace
}  // namespace pgokit::perf
