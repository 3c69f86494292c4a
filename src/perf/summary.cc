#include "perf/summary.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <tuple>

#include "base/parallel.h"

namespace pgokit::perf {
namespace {

constexpr u64 kernel_half = u64(1) << 63;

// One worker's share of the sums.
struct Part {
  Summary sum;
  ReadCounts counts;
  tsl::robin_map<u32, u64> by_pid;
};

// Memory stays bounded, whatever process numbers a file has.
void count_process(Part& part, u32 pid) {
  constexpr size_t most = 1 << 14;
  auto known = part.by_pid.find(pid);
  if (known != part.by_pid.end())
    ++known.value();
  else if (part.by_pid.size() < most)
    part.by_pid.emplace(pid, 1);
}

std::vector<ProcessSamples> processes_of(std::span<const Part> parts) {
  tsl::robin_map<u32, u64> sums;
  for (const auto& part : parts)
    for (const auto& [pid, samples] : part.by_pid) sums[pid] += samples;
  std::vector<ProcessSamples> list;
  for (const auto& [pid, samples] : sums) list.push_back({pid, samples});
  std::ranges::sort(list, [](const ProcessSamples& a, const ProcessSamples& b) {
    return std::tie(b.samples, a.pid) < std::tie(a.samples, b.pid);
  });
  return list;
}

void add_sample(Summary& sum, const Sample& sample) {
  ++sum.samples;
  auto& event = sum.events[sample.event];
  ++event.samples;
  event.period += sample.period;
  sum.first_time = std::min(sum.first_time, sample.time);
  sum.last_time = std::max(sum.last_time, sample.time);
  sum.call_chain_entries += sample.callchain.size();
}

void add_record(Summary& sum, const Parser& parser, const Record& record, ReadCounts& counts) {
  u64 count = 0;
  switch (record.type) {
    case RecordType::mmap:
    case RecordType::mmap2: {
      Mapping mapping;
      if (parser.mapping(record, mapping, counts)) sum.executable_mappings += mapping.executable;
      break;
    }
    case RecordType::lost:
      if (parser.lost(record, count, counts)) sum.lost_events += count;
      break;
    case RecordType::lost_samples:
      if (parser.lost(record, count, counts)) sum.lost_samples += count;
      break;
    case RecordType::aux: {
      Cursor in(record.body);
      in.skip(8);
      sum.aux_announced += in.get<u64>();
      break;
    }
    case RecordType::auxtrace:
      sum.aux_bytes += record.payload.size();
      break;
    default:
      break;
  }
}

void add_piece(Part& part, const Parser& parser, Bytes records) {
  RecordWalk walk(records);
  Sample sample;
  for (Record record; walk.next(record);) {
    part.sum.types.add(record.type);
    if (record.type != RecordType::sample) {
      add_record(part.sum, parser, record, part.counts);
      continue;
    }
    if (!parser.sample(record, sample, part.counts)) continue;
    add_sample(part.sum, sample);
    const Attr& attr = parser.events()[sample.event].attr;
    if (attr.has(field::tid)) count_process(part, sample.pid);
    part.sum.call_chains += attr.has(field::callchain);
    if (!attr.has(field::branch_stack)) continue;
    part.sum.branches.add(sample.branches);
    part.sum.branch_stacks += !sample.branches.empty();
  }
}

void merge(Summary& into, const Summary& from) {
  into.types.add(from.types);
  for (size_t i = 0; i < into.events.size(); ++i) {
    into.events[i].samples += from.events[i].samples;
    into.events[i].period += from.events[i].period;
  }
  into.samples += from.samples;
  into.first_time = std::min(into.first_time, from.first_time);
  into.last_time = std::max(into.last_time, from.last_time);
  into.branches.add(from.branches);
  into.branch_stacks += from.branch_stacks;
  into.call_chains += from.call_chains;
  into.call_chain_entries += from.call_chain_entries;
  into.lost_events += from.lost_events;
  into.lost_samples += from.lost_samples;
  into.aux_announced += from.aux_announced;
  into.aux_bytes += from.aux_bytes;
  into.executable_mappings += from.executable_mappings;
}

}  // namespace

void BranchSummary::add(std::span<const BranchEntry> stack) {
  entries += stack.size();
  deepest = std::max<u64>(deepest, stack.size());
  empty_stacks += stack.empty();
  for (const auto& entry : stack) {
    u64 flags = entry.flags;
    u64 speculation = flags >> 24 & 3;
    mispredicted += entry.mispredicted();
    predicted += entry.predicted();
    with_cycles += entry.cycles() != 0;
    speculation_known += speculation != 0;
    wrong_path += speculation == 1;
    from_kernel += entry.from >= kernel_half;
    to_kernel += entry.to >= kernel_half;
    zero_address += entry.from == 0 || entry.to == 0;
  }
}

void BranchSummary::add(const BranchSummary& other) {
  entries += other.entries;
  deepest = std::max(deepest, other.deepest);
  empty_stacks += other.empty_stacks;
  mispredicted += other.mispredicted;
  predicted += other.predicted;
  with_cycles += other.with_cycles;
  speculation_known += other.speculation_known;
  wrong_path += other.wrong_path;
  from_kernel += other.from_kernel;
  to_kernel += other.to_kernel;
  zero_address += other.zero_address;
}

Summary summarize(const Recording& recording, unsigned threads) {
  Summary sum;
  sum.events.resize(recording.events().size());
  std::vector<Part> parts(worker_count(threads));
  for (auto& part : parts) part.sum.events = sum.events;
  recording.for_each_piece(threads, sum.unreadable, [&](const Piece& piece, unsigned worker) {
    add_piece(parts[worker], recording.parser(), piece.records);
  });
  for (const auto& part : parts) {
    merge(sum, part.sum);
    sum.unreadable.add(part.counts);
  }
  sum.processes = processes_of(parts);
  for (auto type : {RecordType::compressed, RecordType::compressed2})
    sum.types.add(type, recording.types().of(type));
  if (!sum.samples) sum.first_time = 0;
  return sum;
}

}  // namespace pgokit::perf
