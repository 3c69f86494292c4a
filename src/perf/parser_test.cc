#include "perf/parser.h"

#include <gmock/gmock.h>

#include "perf/test_recordings.h"

namespace pgokit::perf {
namespace {

using ::testing::ElementsAre;
using namespace test;

Event event_with(u64 sample_type, std::span<const Le<u64>> ids = {}) {
  Event event;
  event.attr.sample_type = sample_type;
  event.ids = ids;
  return event;
}

struct Body {
  Image bytes;
  template <class... T>
  explicit Body(T... values) {
    (add(bytes, values), ...);
  }
  Record record(RecordType type = RecordType::sample, u16 misc_bits = misc::user) const {
    Record result;
    result.type = type;
    result.misc = misc_bits;
    result.body = bytes;
    return result;
  }
};

TEST(Parser, ReadsFieldsInTheirOrder) {
  Event event = event_with(field::identifier | field::ip | field::tid | field::time | field::addr |
                           field::id | field::stream_id | field::cpu | field::period |
                           field::callchain | field::branch_stack);
  Parser parser({event});
  Body body(u64(1), u64(0x1000), u32(7), u32(8), u64(99), u64(0x2000), u64(1), u64(2), u32(3),
            u32(0), u64(500), u64(2), u64(-512), u64(0x1000), u64(1), u64(10), u64(20), u64(0x55));
  Sample sample;
  ReadCounts counts;
  ASSERT_TRUE(parser.sample(body.record(), sample, counts));
  EXPECT_EQ(sample.ip, 0x1000U);
  EXPECT_EQ(sample.pid, 7U);
  EXPECT_EQ(sample.tid, 8U);
  EXPECT_EQ(sample.time, 99U);
  EXPECT_EQ(sample.addr, 0x2000U);
  EXPECT_EQ(sample.cpu, 3U);
  EXPECT_EQ(sample.period, 500U);
  EXPECT_EQ(sample.mode, misc::user);
  EXPECT_THAT(sample.callchain, ElementsAre(u64(-512), 0x1000));
  ASSERT_EQ(sample.branches.size(), 1U);
  EXPECT_EQ(sample.branches[0].to, 20U);
  EXPECT_TRUE(sample.branches[0].mispredicted());
  EXPECT_EQ(sample.branches[0].cycles(), 5U);
  // Every shorter one is refused.
  for (size_t size = 0; size < body.bytes.size(); ++size) {
    Record record = body.record();
    record.body = record.body.first(size);
    EXPECT_FALSE(parser.sample(record, sample, counts)) << size;
  }
  EXPECT_EQ(counts.truncated_samples, body.bytes.size());
}

// Of what lies after the branch stack only the source of data is read.
TEST(Parser, ReadsTheSourceOfDataBehindWhateverPrecedesIt) {
  Event event = event_with(field::ip | field::addr | field::branch_stack | field::regs_user |
                           field::stack_user | field::weight | field::data_src);
  event.attr.regs_user = 0b101;
  event.attr.branch_sample_type = branch::any | branch::counters;
  Parser parser({event});
  Body body(u64(0x1000), u64(0x2000), u64(1), u64(10), u64(20), u64(2), u64(0xc0),  // a counter
            u64(2), u64(5), u64(6),                                                 // registers
            u64(8), u64(7), u64(8), u64(3), u64(data_src::load | data_src::locked));
  Sample sample;
  ReadCounts counts;
  ASSERT_TRUE(parser.sample(body.record(), sample, counts));
  EXPECT_EQ(sample.addr, 0x2000U);
  EXPECT_EQ(sample.data_src, data_src::load | data_src::locked);
  // Registers and a stack that are not there.
  Body without(u64(0x1000), u64(0x2000), u64(0), u64(0), u64(0), u64(3), u64(data_src::store));
  ASSERT_TRUE(parser.sample(without.record(), sample, counts));
  EXPECT_EQ(sample.data_src, data_src::store);
  // One that is too short for it is a sample without it, whatever sizes it claims.
  for (u64 size : {u64(8), u64(1) << 40, ~u64(0), ~u64(0) - 7}) {
    Body cut(u64(0x1000), u64(0x2000), u64(0), u64(0), size, u64(7));
    ASSERT_TRUE(parser.sample(cut.record(), sample, counts));
    EXPECT_EQ(sample.data_src, 0U);
  }
  EXPECT_EQ(counts.truncated_samples, 0U);
  // The next event's samples have none.
  Parser plain({event_with(field::ip)});
  ASSERT_TRUE(plain.sample(body.record(), sample, counts));
  EXPECT_EQ(sample.data_src, 0U);
}

TEST(Parser, CountsOfTheFileAreNotBelieved) {
  Parser parser({event_with(field::callchain | field::branch_stack)});
  Sample sample;
  ReadCounts counts;
  for (u64 huge : {~u64(0), u64(1) << 61, u64(3)}) {
    EXPECT_FALSE(parser.sample(Body(huge, u64(0)).record(), sample, counts));
    EXPECT_FALSE(parser.sample(Body(u64(0), huge, u64(0)).record(), sample, counts));
  }
  EXPECT_EQ(counts.truncated_samples, 6U);
  Event read = event_with(field::read | field::branch_stack);
  read.attr.read_format = read_format::group | read_format::id | read_format::lost;
  Parser reader({read});
  EXPECT_FALSE(reader.sample(Body(~u64(0) / 3, u64(0)).record(), sample, counts));
}

TEST(Parser, StepsOverReadAndRaw) {
  Event event = event_with(field::read | field::raw | field::branch_stack);
  event.attr.read_format =
      read_format::enabled | read_format::id | read_format::group | read_format::lost;
  event.attr.branch_sample_type = branch::hw_index;
  Parser parser({event});
  Body body(u64(2), u64(100), u64(1), u64(2), u64(3), u64(4), u64(5),
            u64(6),                                                // 2 x value, id, lost
            u32(6), u32(0xeeeeeeee), u16(0xeeee), u16(0), u32(0),  // raw, in steps of 8
            u64(1), u64(-1), u64(10), u64(20), u64(2));
  Sample sample;
  ReadCounts counts;
  ASSERT_TRUE(parser.sample(body.record(), sample, counts));
  ASSERT_EQ(sample.branches.size(), 1U);
  EXPECT_EQ(sample.branches[0].from, 10U);
  EXPECT_TRUE(sample.branches[0].predicted());
  Event single = event_with(field::read | field::branch_stack);
  single.attr.read_format = read_format::running;
  Body value(u64(5), u64(6), u64(1), u64(10), u64(20), u64(2));
  ASSERT_TRUE(Parser({single}).sample(value.record(), sample, counts));
  EXPECT_EQ(sample.branches.size(), 1U);
}

TEST(Parser, FindsTheEventOfASample) {
  const Le<u64> first[] = {5, 6}, second[] = {7, 3};
  // The samples of the two have different fields.
  Parser parser({event_with(field::identifier | field::ip, first),
                 event_with(field::identifier | field::ip | field::period, second)});
  Sample sample;
  ReadCounts counts;
  ASSERT_TRUE(parser.sample(Body(u64(6), u64(0x10)).record(), sample, counts));
  EXPECT_EQ(sample.event, 0U);
  ASSERT_TRUE(parser.sample(Body(u64(3), u64(0x10), u64(44)).record(), sample, counts));
  EXPECT_EQ(sample.event, 1U);
  EXPECT_EQ(sample.period, 44U);
  EXPECT_EQ(counts.unknown_events, 0U);
  ASSERT_TRUE(parser.sample(Body(u64(9), u64(0x10)).record(), sample, counts));
  EXPECT_EQ(sample.event, 0U);
  EXPECT_EQ(counts.unknown_events, 1U);
  // By ID, where there is no IDENTIFIER.
  Parser by_id({event_with(field::ip | field::time | field::id, first),
                event_with(field::ip | field::time | field::id | field::cpu, second)});
  ASSERT_TRUE(by_id.sample(Body(u64(1), u64(2), u64(7), u64(1)).record(), sample, counts));
  EXPECT_EQ(sample.event, 1U);
  EXPECT_EQ(sample.cpu, 1U);
}

TEST(Parser, TrailersAreThoseOfTheirEvent) {
  const Le<u64> first[] = {5}, second[] = {7};
  Event a = event_with(field::identifier | field::tid, first);
  Event b = event_with(field::identifier | field::tid | field::time | field::cpu, second);
  a.attr.flags = b.attr.flags = attr_flag::sample_id_all;
  Parser parser({a, b});
  Body throttle(u64(0), u64(0), u64(0), u32(1), u32(2), u64(77), u64(3), u64(7));
  RecordId id = parser.trailer(throttle.record(RecordType::throttle));
  EXPECT_EQ(id.time, 77U);
  EXPECT_EQ(id.pid, 1U);
  EXPECT_EQ(id.cpu, 3U);
  EXPECT_EQ(id.id, 7U);
  id = parser.trailer(Body(u64(0), u32(1), u32(2), u64(5)).record(RecordType::throttle));
  EXPECT_EQ(id.tid, 2U);
  EXPECT_EQ(id.time, 0U);
  EXPECT_EQ(parser.trailer(Body(u64(7)).record()).pid, 0U);  // too short
  EXPECT_EQ(Parser().trailer(Body(u64(7)).record()).pid, 0U);
}

TEST(Parser, PeriodWithoutTheField) {
  Event event = event_with(field::ip);
  event.attr.period = 1000;
  Sample sample;
  ReadCounts counts;
  ASSERT_TRUE(Parser({event}).sample(Body(u64(1)).record(), sample, counts));
  EXPECT_EQ(sample.period, 1000U);
  event.attr.flags = attr_flag::freq;
  ASSERT_TRUE(Parser({event}).sample(Body(u64(1)).record(), sample, counts));
  EXPECT_EQ(sample.period, 1U);
}

TEST(Parser, NamesEvents) {
  Attr attr;
  EXPECT_EQ(default_event_name(attr), "cycles");
  attr.config = 4 | u64(8) << 32;  // of the atoms of a hybrid CPU
  EXPECT_EQ(default_event_name(attr), "branches");
  attr.type = 1, attr.config = 1;
  EXPECT_EQ(default_event_name(attr), "task-clock");
  attr.type = 4, attr.config = 0xc4;
  EXPECT_EQ(default_event_name(attr), "rc4");
  attr.type = 9;
  EXPECT_EQ(default_event_name(attr), "type 9 config 0xc4");
}

TEST(Parser, BuildIdsWithoutASize) {
  Image id(20, 1);
  EXPECT_EQ(without_padding(id).size(), 20U);
  std::fill(id.begin() + 16, id.end(), u8(0));
  EXPECT_EQ(without_padding(id).size(), 16U);
  std::fill(id.begin() + 8, id.end(), u8(0));
  EXPECT_EQ(without_padding(id).size(), 8U);
}

}  // namespace
}  // namespace pgokit::perf
