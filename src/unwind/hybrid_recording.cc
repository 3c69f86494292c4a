#include "unwind/hybrid_recording.h"

#include <algorithm>

#include "base/parallel.h"
#include "perf/call_chain.h"
#include "samples/recording_maps.h"
#include "samples/sample_walk.h"

namespace pgokit::unwind {
namespace {

using samples::Fate;

// One thread's share of the samples.
class SampleReader {
 public:
  SampleReader(const perf::Recording& recording, const program::Program& program,
               const samples::ProgramMaps& maps, const HybridRules& rules,
               const samples::RecordingOptions& options, const samples::EventChoice& events)
      : sampler(program, rules),
        walk(recording, maps, options, &events),
        recording_(recording),
        options_(options) {}

  void read(const perf::Piece& piece) {
    sampler.begin_piece(piece.number);
    walk.for_each(piece.records, sampler.use,
                  [&](const perf::Sample& sample) { return add(sample); });
  }

  HybridSampleReader sampler;
  samples::SampleWalk walk;

 private:
  Fate add(const perf::Sample& sample) {
    if (sample.branches.empty()) return Fate::without_branches;
    if (!walk.enter(sample)) return Fate::elsewhere;
    sampler.begin(1);
    add_chain(sample.callchain);
    if (!sampler.end_of_frames(has_whole_chain(sample))) return Fate::bad_call_chain;
    for (const auto& entry : sample.branches) {
      if (entry.wrong_path() && !options_.keep_wrong_path)
        ++sampler.use.entries_wrong_path;
      else
        sampler.branch(end_of_branch(entry.from), end_of_branch(entry.to));
    }
    return sampler.end_sample();
  }

  // As pgokit's recorder marks it. No software event of the kernel's has branch stacks.
  bool has_whole_chain(const perf::Sample& sample) const {
    const auto& attr = recording_.events()[sample.event].attr;
    return sample.exact_ip && attr.type == perf::event_type::software;
  }

  // Markers stand between the parts of a chain: kernel, user, guest. Behind those of the kernel are
  // the caller's in user space, outside of it.
  void add_chain(std::span<const Le<u64>> chain) {
    perf::for_each_frame(chain, [&](u64 address, perf::FrameMode mode) {
      bool taken = options_.kernel || mode == perf::FrameMode::user;
      return !taken || sampler.frame(place(address));
    });
  }

  Place place(u64 address) const {
    BinaryAddr translated = walk.translate(address);
    return translated == samples::external ? outside : sampler.locate(translated);
  }
  Place end_of_branch(u64 address) const {
    BinaryAddr translated = walk.translate(address);
    return translated == samples::external ? outside : sampler.locate_end(translated);
  }

  const perf::Recording& recording_;
  const samples::RecordingOptions& options_;
};

}  // namespace

bool has_call_chains(const perf::Recording& recording) {
  return std::ranges::any_of(recording.events(), [](const perf::Event& event) {
    return event.attr.has(perf::field::callchain) && event.attr.has(perf::field::branch_stack);
  });
}

Result<HybridRecording> unwind_recording(const perf::Recording& recording,
                                         const program::Program& program, const HybridRules& rules,
                                         const samples::RecordingOptions& options) {
  TRY(samples::check_branch_stacks(recording));
  perf::ReadCounts unreadable;
  auto mapped =
      samples::map_program(recording, program, options.ignore_build_id, options.kernel, unreadable);
  auto events = TRY(samples::choose_event(recording, samples::EventUse::branches, options.event,
                                          options.threads));

  std::vector<SampleReader> readers;
  for (unsigned i = 0; i < worker_count(options.threads); ++i)
    readers.emplace_back(recording, program, mapped.maps, rules, options, events);
  if (!mapped.maps.empty())
    recording.for_each_piece(static_cast<unsigned>(readers.size()), unreadable,
                             [&](const perf::Piece& piece, unsigned worker) {
                               readers[worker].read(piece);
                               if (options.progress)
                                 options.progress->advance(piece.records.size());
                             });
  std::vector<HybridSampleReader> samplers;
  for (auto& reader : readers) {
    unreadable.add(reader.walk.unreadable);
    samplers.push_back(std::move(reader.sampler));
  }
  return HybridRecording{collect(std::move(samplers), program, rules, options.threads),
                         std::move(events),
                         unreadable,
                         mapped.mappings,
                         mapped.other_build,
                         mapped.matched_by_name};
}

}  // namespace pgokit::unwind
