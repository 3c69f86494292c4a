#include "bolt/traces.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "test/support/tiny_program.h"

namespace pgokit::bolt {
namespace {

using samples::external;
using testing::ElementsAre;
using testing::IsEmpty;

BinaryAddr at(u64 offset) { return {0x401000 + offset}; }

struct Tiny {
  std::string image = test::tiny_program().image();
  object::File file = *object::File::parse(as_bytes(image));
  AddressSpace space = *AddressSpace::of(file);

  // Addresses of 0 are outside.
  void add(TraceFolder& folder, const std::vector<std::pair<u64, u64>>& newest_first,
           bool mispredicted = false) const {
    auto place = [&](u64 offset) {
      return offset == ~u64{0} ? AddressSpace::outside : space.place_of(at(offset));
    };
    for (auto [from, to] : newest_first) folder.entry(place(from), place(to), mispredicted);
    folder.end_sample();
  }
};
constexpr u64 outside = ~u64{0};

TEST(Traces, JoinABranchWithWhatRanAfterIt) {
  Tiny tiny;
  TraceFolder folder(tiny.space);
  tiny.add(folder, {{0x11, 0xc}, {0x7, 0x10}, {0x2, 0x7}});
  tiny.add(folder, {{0x11, 0xc}, {0x7, 0x10}}, true);
  auto traces = merge({std::move(folder)});
  EXPECT_THAT(traces.list,
              ElementsAre(Trace{at(0x2), at(0x7), at(0x7), 1}, Trace{at(0x11), at(0xc), unknown, 2},
                          Trace{at(0x7), at(0x10), at(0x11), 2}));
  ASSERT_EQ(traces.mispredicted.size(), 2);
  EXPECT_EQ(traces.mispredicted[0], (samples::BranchCount{at(0x7), at(0x10), 1}));
  EXPECT_EQ(traces.outside, 0);
}

TEST(Traces, OfOtherProgramsAreOnlyCounted) {
  Tiny tiny;
  TraceFolder folder(tiny.space);
  tiny.add(folder, {{outside, outside}, {outside, outside}, {0xc, outside}});
  auto traces = merge({std::move(folder)});
  EXPECT_THAT(traces.list, ElementsAre(Trace{at(0xc), external, external, 1}));
  EXPECT_EQ(traces.outside, 1);
}

TEST(Traces, OfSeveralThreadsAreAddedUp) {
  Tiny tiny;
  std::vector<TraceFolder> folders(3, TraceFolder(tiny.space));
  for (auto& folder : folders) tiny.add(folder, {{0x7, 0x10}, {0x2, 0x7}});
  auto traces = merge(std::move(folders));
  EXPECT_THAT(traces.list, ElementsAre(Trace{at(0x2), at(0x7), at(0x7), 3},
                                       Trace{at(0x7), at(0x10), unknown, 3}));
  auto more = traces;
  traces.add(std::move(more));
  EXPECT_EQ(traces.list[0].count, 6);
}

TEST(Traces, OfCountsKnowHowManyRangesReturnsLedTo) {
  samples::Counts counts;
  counts.ranges = {{at(0xc), at(0xc), 10}, {at(0x10), at(0x11), 4}};
  counts.branches = {{at(0x2), at(0xc), 4}, {at(0x11), at(0xc), 6}};
  auto traces = traces_of(counts, [](BinaryAddr address) { return address == at(0x11); });
  EXPECT_THAT(
      traces.list,
      ElementsAre(Trace{external_return, at(0xc), at(0xc), 6},
                  Trace{no_branch, at(0xc), at(0xc), 4}, Trace{at(0x2), at(0xc), unknown, 4},
                  Trace{at(0x11), at(0xc), unknown, 6}, Trace{no_branch, at(0x10), at(0x11), 4}));
}

TEST(AddressSpace, RefusesWhatIsNotLinked) {
  std::string image = test::ElfBuilder().section(".text", "x").image();
  auto file = *object::File::parse(as_bytes(image));
  EXPECT_FALSE(AddressSpace::of(file));
  image = test::ElfBuilder().segment(PF_X, 0, 0x1000, 0x1000, u64{1} << 33).image();
  file = *object::File::parse(as_bytes(image));
  EXPECT_FALSE(AddressSpace::of(file));
}

}  // namespace
}  // namespace pgokit::bolt
