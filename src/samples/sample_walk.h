#pragma once

// One thread's way through the samples of a recording: those that can be read, and where their
// addresses are in the program.
//
//   SampleWalk walk(recording, maps, options);
//   walk.for_each(records, use, [&](const perf::Sample& sample) {
//     if (!walk.enter(sample)) return Fate::elsewhere;
//     return is_ours(walk.translate(sample.ip)) ? Fate::used : Fate::not_in_program;
//   });

#include "perf/recording.h"
#include "samples/program_maps.h"
#include "samples/recording_counts.h"

namespace pgokit::samples {

class SampleWalk {
 public:
  // `events`: those that are counted; null: all.
  SampleWalk(const perf::Recording& recording, const ProgramMaps& maps,
             const RecordingOptions& options, const EventChoice* events = nullptr)
      : parser_(recording.parser()), lookup_(maps), options_(options), events_(events) {}

  // Every sample is counted in `use` once: unreadable, of another event, or as `each` says.
  template <class Each>
  void for_each(Bytes records, SampleUse& use, Each each) {
    for_each_sample(records, use, [&](const perf::Sample& sample) { use.count(each(sample)); });
  }

  // Those that `each` does not see are counted in `use`: unreadable, of another event.
  template <class Each>
  void for_each_sample(Bytes records, SampleUse& use, Each each) {
    perf::RecordWalk walk(records);
    perf::Sample sample;
    for (perf::Record record; walk.next(record);) {
      if (record.type != perf::RecordType::sample) continue;
      if (!parser_.sample(record, sample, unreadable))
        use.count(Fate::unreadable);
      else if (events_ && !events_->takes(sample.event))
        use.count(Fate::other_event);
      else
        each(sample);
    }
  }

  // Whether it is of a process that is asked for, in which the program was; translate() is for it
  // from then on.
  bool enter(const perf::Sample& sample) {
    bool wanted = !options_.pid || *options_.pid == sample.pid;
    return wanted && lookup_.enter(sample.pid, sample.time);
  }
  BinaryAddr translate(u64 address) const { return lookup_.translate({address}); }

  perf::ReadCounts unreadable;

 private:
  const perf::Parser& parser_;
  ProgramMaps::Lookup lookup_;
  const RecordingOptions& options_;
  const EventChoice* events_;
};

}  // namespace pgokit::samples
