#include "samples/ip_counts.h"

#include <algorithm>

#include "base/hash.h"
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
    size_t callers = add_callers(sample);
    if (!counter.add(chain_)) return Fate::not_in_program;
    use.entries += callers;
    if (each_) each_(worker_, chain_);
    return Fate::used;
  }

  // Returns how many. The chain begins with the sampled address again, and the counter asks for the
  // nearest caller only.
  size_t add_callers(const perf::Sample& sample) {
    auto ours = options_.kernel ? perf::FrameMode::kernel : perf::FrameMode::user;
    size_t frames = 0, leaves = 0;
    perf::for_each_frame(sample.callchain, [&](u64 address, perf::FrameMode mode) {
      if (frames++ == 0)
        leaves = mode == ours;
      else if (mode == ours)
        chain_.push_back(walk.translate(address));
      return each_ || chain_.size() == 1;
    });
    return perf::count_frames(sample.callchain, ours) - leaves;
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

IpCounter::Place IpCounter::place_of(BinaryAddr leaf, BinaryAddr caller) const {
  Place place{.leaf = leaf, .caller = caller, .at = instruction_at(leaf)};
  if (place.at == no_code || caller == external || lacks_caller(place.at)) return place;
  const auto* callee = functions_->find(leaf.value);
  auto back = instruction_at(caller);
  if (!callee || back == no_code) return place;
  place.call = call_before(*code_, back);
  place.function = callee->function;
  return place;
}

bool IpCounter::add(std::span<const BinaryAddr> chain) {
  if (chain.empty()) return false;
  BinaryAddr leaf = chain[0], caller = chain.size() > 1 ? chain[1] : external;
  auto& place = seen_[IntHash()(leaf.value ^ caller.value << 1) % most_seen];
  if (place.leaf != leaf || place.caller != caller) place = place_of(leaf, caller);
  if (place.at == no_code) return false;
  ips_.add(static_cast<u32>(place.at), 1);
  if (place.call != no_code)
    calls_.add(u64{static_cast<u32>(place.call)} << 32 | place.function, 1);
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
