#include "samples/ip_counts.h"

#include <algorithm>

#include "base/parallel.h"
#include "perf/call_chain.h"
#include "samples/call_chain.h"
#include "samples/recording_maps.h"
#include "samples/sample_walk.h"

namespace pgokit::samples {
namespace {

using program::CodeIndex;
using program::no_code;

class ChainReader {
 public:
  ChainReader(const perf::Recording& recording, const program::Program& program,
              const ProgramMaps& maps, const RecordingOptions& options, const EventChoice& events,
              const EachChain& each)
      : counter(program.code(), program.functions()),
        walk(recording, maps, options, &events),
        options_(options),
        each_(each) {}

  void read(Bytes records, unsigned worker) {
    worker_ = worker;
    walk.for_each(records, use, [&](const perf::Sample& sample) { return add(sample); });
  }

  IpCounter counter;
  SampleUse use;
  SampleWalk walk;

 private:
  Fate add(const perf::Sample& sample) {
    if (!walk.enter(sample)) return Fate::elsewhere;
    chain_.assign(1, walk.translate(sample.ip));
    add_callers(sample);
    if (!counter.add(chain_)) return Fate::not_in_program;
    use.entries += chain_.size() - 1;
    if (each_) each_(worker_, chain_);
    return Fate::used;
  }

  // The chain begins with the sampled address again.
  void add_callers(const perf::Sample& sample) {
    bool first = true;
    auto ours = options_.kernel ? perf::FrameMode::kernel : perf::FrameMode::user;
    perf::for_each_frame(sample.callchain, [&](u64 address, perf::FrameMode mode) {
      if (mode == ours && !first) chain_.push_back(walk.translate(address));
      first = false;
    });
  }

  const RecordingOptions& options_;
  const EachChain& each_;
  unsigned worker_ = 0;
  std::vector<BinaryAddr> chain_;
};

}  // namespace

CodeIndex IpCounter::instruction_at(BinaryAddr address) const {
  if (address == external) return no_code;
  auto index = code_->index_of(address);
  return index != no_code && code_->is_instruction(index) ? index : no_code;
}

// Before a function has its frame, and after, the chain goes on with the caller's caller.
bool IpCounter::lacks_caller(CodeIndex leaf) const {
  auto starts = [&](CodeIndex at) {
    return functions_->starting_at(code_->address_of(at).value) != nullptr;
  };
  auto before = code_->before(leaf);
  return starts(leaf) || code_->is_return(leaf) || (before != no_code && starts(before));
}

bool IpCounter::add(std::span<const BinaryAddr> chain) {
  auto leaf = chain.empty() ? no_code : instruction_at(chain[0]);
  if (leaf != no_code) ips_.add(static_cast<u32>(leaf), 1);
  if (leaf == no_code || chain.size() < 2) return leaf != no_code;
  if (lacks_caller(leaf)) return true;
  auto back = instruction_at(chain[1]);
  auto call = back == no_code ? no_code : call_before(*code_, back);
  const auto* callee = functions_->find(chain[0].value);
  if (call != no_code && callee)
    calls_.add(u64{static_cast<u32>(call)} << 32 | callee->function, 1);
  return true;
}

void IpCounter::merge(const IpCounter& other) {
  ips_.merge(other.ips_);
  calls_.merge(other.calls_);
}

IpCounts IpCounter::counts() const {
  PairCounter ips, calls;  // a merged counter has each pair once
  ips.merge(ips_);
  calls.merge(calls_);
  IpCounts out;
  ips.for_each([&](u64 at, u64 n) { out.ips.push_back({CodeIndex(static_cast<u32>(at)), n}); });
  calls.for_each([&](u64 pair, u64 n) {
    out.calls.push_back({CodeIndex(static_cast<u32>(pair >> 32)), static_cast<u32>(pair), n});
  });
  std::ranges::sort(out.ips, {}, &IpCounts::Seen::at);
  std::ranges::sort(out.calls, {},
                    [](const auto& one) { return std::pair(one.call, one.function); });
  return out;
}

bool is_without_branches(const perf::Recording& recording) {
  return std::ranges::none_of(recording.events(), [](const perf::Event& event) {
    return event.attr.has(perf::field::branch_stack);
  });
}

Result<IpRead> count_ips(const perf::Recording& recording, const program::Program& program,
                         const RecordingOptions& options, const EachChain& each) {
  IpRead result(program);
  result.has_chains = std::ranges::any_of(recording.events(), [](const perf::Event& event) {
    return event.attr.has(perf::field::callchain);
  });
  auto mapped =
      map_program(recording, program, options.ignore_build_id, options.kernel, result.unreadable);
  result.matched_by_name = mapped.matched_by_name;
  result.other_build = mapped.other_build;
  result.mappings = mapped.mappings;
  if (mapped.maps.empty()) return result;
  result.events = TRY(choose_event(recording, EventUse::addresses, options.event, options.threads));

  unsigned workers = worker_count(options.threads);
  std::vector<ChainReader> readers(
      workers, ChainReader(recording, program, mapped.maps, options, result.events, each));
  perf::ReadCounts unpacking;
  recording.for_each_piece(workers, unpacking, [&](const perf::Piece& piece, unsigned worker) {
    readers[worker].read(piece.records, worker);
    if (options.progress) options.progress->advance(piece.records.size());
  });
  result.unreadable.add(unpacking);
  for (const auto& reader : readers) {
    result.counter.merge(reader.counter);
    result.use.add(reader.use);
    result.unreadable.add(reader.walk.unreadable);
  }
  return result;
}

}  // namespace pgokit::samples
