#include "perf/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace pgokit::perf {
namespace {

// The fields of a trailer, in its order.
constexpr u64 trailer_fields =
    field::tid | field::time | field::id | field::stream_id | field::cpu | field::identifier;

// How many u64 stand in front of the id: for the samples of one event, from the front.
u32 id_position(const Attr& attr, u32 none) {
  if (attr.has(field::identifier)) return 0;
  if (!attr.has(field::id)) return none;
  return static_cast<u32>(
      std::popcount(attr.sample_type & (field::ip | field::tid | field::time | field::addr)));
}

u32 id_from_end(const Attr& attr, u32 none) {
  if (attr.has(field::identifier)) return 1;
  if (!attr.has(field::id)) return none;
  return 1 + static_cast<u32>(std::popcount(attr.sample_type & (field::stream_id | field::cpu)));
}

}  // namespace

Parser::Parser(std::vector<Event> events) : events_(std::move(events)) {
  if (events_.size() < 2) return;
  for (u32 i = 0; i < events_.size(); ++i)
    for (u64 id : events_[i].ids) events_by_id_.emplace_back(id, i);
  std::sort(events_by_id_.begin(), events_by_id_.end());
  id_position_ = id_position(events_[0].attr, no_id);
  id_from_end_ = id_from_end(events_[0].attr, no_id);
  for (const auto& event : events_) {
    if (id_position(event.attr, no_id) != id_position_) id_position_ = no_id;
    if (id_from_end(event.attr, no_id) != id_from_end_) id_from_end_ = no_id;
  }
}

u32 Parser::event_of_id(u64 id, ReadCounts* counts) const {
  if (id == 0) return 0;
  auto found = std::lower_bound(events_by_id_.begin(), events_by_id_.end(), std::pair(id, u32(0)));
  if (found != events_by_id_.end() && found->first == id) return found->second;
  if (counts) ++counts->unknown_events;
  return 0;
}

u32 Parser::event_of_sample(Bytes body, ReadCounts& counts) const {
  if (id_position_ == no_id || body.size() / 8 <= id_position_) return 0;
  Cursor in(body.subspan(size_t(id_position_) * 8));
  return event_of_id(in.get<u64>(), &counts);
}

RecordId Parser::trailer(const Record& record) const {
  RecordId id;
  if (events_.empty()) return id;
  u32 event = 0;
  if (id_from_end_ != no_id && record.body.size() / 8 >= id_from_end_) {
    Cursor in(record.body.last(size_t(id_from_end_) * 8));
    event = event_of_id(in.get<u64>(), nullptr);
  }
  const Attr& attr = events_[event].attr;
  if (!(attr.flags & attr_flag::sample_id_all)) return id;
  auto size = static_cast<size_t>(std::popcount(attr.sample_type & trailer_fields)) * 8;
  if (size > record.body.size()) return id;
  Cursor in(record.body.last(size));
  if (attr.has(field::tid)) id.pid = in.get<u32>(), id.tid = in.get<u32>();
  if (attr.has(field::time)) id.time = in.get<u64>();
  if (attr.has(field::id)) id.id = in.get<u64>();
  if (attr.has(field::stream_id)) in.skip(8);
  if (attr.has(field::cpu)) id.cpu = in.get<u32>(), in.skip(4);
  if (attr.has(field::identifier)) id.id = in.get<u64>();
  return id;
}

void Parser::skip_read(Cursor& in, const Attr& attr) const {
  u64 times = std::popcount(attr.read_format & (read_format::enabled | read_format::running));
  u64 per_value = 1 + std::popcount(attr.read_format & (read_format::id | read_format::lost));
  u64 values = attr.read_format & read_format::group ? u64(in.get<u64>()) : 1;
  if (values > in.left()) values = in.left();  // fails below; no overflow
  in.skip((times + values * per_value) * 8);
}

// `in` stands after the branch stack.
u64 Parser::data_source(Cursor in, const Attr& attr, size_t branches) {
  if (attr.has(field::branch_stack) && attr.branch_sample_type & branch::counters)
    in.skip(branches * 8);
  if (attr.has(field::regs_user) && in.get<u64>() != 0) in.skip(std::popcount(attr.regs_user) * 8);
  if (attr.has(field::stack_user))
    if (u64 size = in.get<u64>()) in.skip(size), in.skip(8);
  if (attr.has(field::weight) || attr.has(field::weight_struct)) in.skip(8);
  u64 source = in.get<u64>();
  return in.ok() ? source : 0;
}

bool Parser::sample(const Record& record, Sample& sample, ReadCounts& counts) const {
  if (events_.empty()) return ++counts.truncated_samples, false;
  sample.event = event_of_sample(record.body, counts);
  sample.mode = record.misc & misc::mode_mask;
  sample.exact_ip = record.misc & misc::exact_ip;
  const Attr& attr = events_[sample.event].attr;
  Cursor in(record.body);
  if (attr.has(field::identifier)) in.skip(8);
  sample.ip = attr.has(field::ip) ? in.get<u64>() : 0;
  sample.pid = sample.tid = 0;
  if (attr.has(field::tid)) sample.pid = in.get<u32>(), sample.tid = in.get<u32>();
  sample.time = attr.has(field::time) ? in.get<u64>() : 0;
  sample.addr = attr.has(field::addr) ? in.get<u64>() : 0;
  if (attr.has(field::id)) in.skip(8);
  if (attr.has(field::stream_id)) in.skip(8);
  sample.cpu = 0;
  if (attr.has(field::cpu)) sample.cpu = in.get<u32>(), in.skip(4);
  if (attr.has(field::period))
    sample.period = in.get<u64>();
  else
    sample.period = attr.flags & attr_flag::freq ? 1 : std::max<u64>(attr.period, 1);
  if (attr.has(field::read)) skip_read(in, attr);
  sample.callchain = {};
  if (attr.has(field::callchain)) sample.callchain = in.array<Le<u64>>(in.get<u64>());
  if (attr.has(field::raw)) {
    u64 size = in.get<u32>();
    in.skip((4 + size + 7) / 8 * 8 - 4);
  }
  sample.branches = {};
  if (attr.has(field::branch_stack)) {
    u64 entries = in.get<u64>();
    if (attr.branch_sample_type & branch::hw_index) in.skip(8);
    sample.branches = in.array<BranchEntry>(entries);
  }
  // Of what may follow only one field is of use here.
  if (attr.has(field::data_src)) [[unlikely]]
    sample.data_src = data_source(in, attr, sample.branches.size());
  else
    sample.data_src = 0;
  if (!in.ok()) return ++counts.truncated_samples, false;
  return true;
}

bool Parser::mapping(const Record& record, Mapping& mapping, ReadCounts& counts) const {
  Cursor in(record.body);
  mapping.by = trailer(record);
  mapping.mode = record.misc & misc::mode_mask;
  mapping.pid = in.get<i32>();
  mapping.tid = in.get<u32>();
  mapping.start = in.get<u64>();
  mapping.size = in.get<u64>();
  mapping.file_offset = in.get<u64>();
  mapping.build_id = {};
  if (record.type == RecordType::mmap2) {
    if (record.misc & misc::mmap_build_id) {
      u64 size = in.get<u8>();
      in.skip(3);
      Bytes id = in.bytes(20);
      mapping.build_id = id.first(std::min<size_t>(size, id.size()));
    } else {
      in.skip(24);  // device, inode, generation
    }
    mapping.executable = in.get<u32>() & 4;
    in.skip(4);
  } else {
    mapping.executable = !(record.misc & misc::mmap_data);
  }
  mapping.path = in.cstring();
  if (!in.ok()) return ++counts.truncated_records, false;
  return true;
}

bool Parser::comm(const Record& record, Comm& comm, ReadCounts& counts) const {
  Cursor in(record.body);
  comm.by = trailer(record);
  comm.exec = record.misc & misc::comm_exec;
  comm.pid = in.get<u32>();
  comm.tid = in.get<u32>();
  comm.name = in.cstring();
  if (!in.ok()) return ++counts.truncated_records, false;
  return true;
}

bool Parser::fork(const Record& record, Fork& fork, ReadCounts& counts) const {
  Cursor in(record.body);
  fork.by = trailer(record);
  fork.pid = in.get<u32>();
  fork.parent_pid = in.get<u32>();
  fork.tid = in.get<u32>();
  fork.parent_tid = in.get<u32>();
  fork.time = in.get<u64>();
  if (!in.ok()) return ++counts.truncated_records, false;
  return true;
}

bool Parser::lost(const Record& record, u64& count, ReadCounts& counts) const {
  Cursor in(record.body);
  if (record.type == RecordType::lost) in.skip(8);  // the id
  count = in.get<u64>();
  if (!in.ok()) return ++counts.truncated_records, false;
  return true;
}

std::string default_event_name(const Attr& attr) {
  static constexpr std::string_view hardware[] = {"cycles",
                                                  "instructions",
                                                  "cache-references",
                                                  "cache-misses",
                                                  "branches",
                                                  "branch-misses",
                                                  "bus-cycles",
                                                  "stalled-cycles-frontend",
                                                  "stalled-cycles-backend",
                                                  "ref-cycles"};
  static constexpr std::string_view software[] = {
      "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
      "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
      "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
  u64 config = attr.config & 0xffffffff;  // above: the PMU of a hybrid CPU
  if (attr.type == event_type::hardware && config < std::size(hardware))
    return std::string(hardware[config]);
  if (attr.type == event_type::software && attr.config < std::size(software))
    return std::string(software[config]);
  if (attr.type == event_type::raw) return fmt::format("r{:x}", attr.config);
  return fmt::format("type {} config {:#x}", attr.type, attr.config);
}

Bytes without_padding(Bytes id) {
  auto zeros_from = [&](size_t n) {
    return std::all_of(id.begin() + n, id.end(), [](u8 byte) { return byte == 0; });
  };
  for (size_t size : {size_t(8), size_t(16)})
    if (id.size() == 20 && zeros_from(size)) return id.first(size);
  return id;
}

}  // namespace pgokit::perf
