#include "perf/trace.h"

#include <gtest/gtest.h>

#include "perf/test_recordings.h"

namespace pgokit::perf {
namespace {

using test::Image;

// A recording with the records that announce and hold a trace.
Image with_trace(u32 type, size_t bytes) {
  Image file = test::branch_recording(1), data = test::data_of(file), info, piece;
  test::add(info, type);
  test::add(info, u32(0));
  test::add(data, test::record(70, 0, info));
  test::add(piece, static_cast<u64>(bytes));
  for (int i = 0; i < 4; ++i) test::add(piece, u64(0));
  test::add(data, test::record(71, 0, piece));
  data.insert(data.end(), bytes, 0);
  return test::with_data(file, data);
}

TEST(Trace, IsNamedWithItsSize) {
  for (auto [type, name] : {std::pair(1U, "Intel PT"), {3U, "CoreSight ETM"}, {4U, "Arm SPE"}}) {
    auto image = with_trace(type, 4096);
    auto recording = Recording::open(image);
    ASSERT_TRUE(recording) << recording.error().message;
    auto trace = trace_of(*recording);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->name, name);
    EXPECT_EQ(trace->bytes, 4096U);
  }
}

TEST(Trace, UnknownOnesAreTraces) {
  auto image = with_trace(77, 8);
  auto trace = trace_of(*Recording::open(image));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->name, "a trace of its processor");
}

TEST(Trace, MostRecordingsHaveNone) {
  auto image = test::branch_recording(1);
  EXPECT_FALSE(trace_of(*Recording::open(image)));
}

TEST(Trace, CommandMakesBranchStacks) {
  auto image = with_trace(1, 8);
  EXPECT_EQ(trace_of(*Recording::open(image))->command("a", "b"),
            "perf inject --itrace=i1000il64 --strip -i a -o b");
}

}  // namespace
}  // namespace pgokit::perf
