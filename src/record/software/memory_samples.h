#pragma once

// Writes what windows have logged of accesses to memory: samples with data addresses, and where
// data are mapped.
//
//   MemorySampler memory(recording, accesses_per_sample);
//   sampler.counts().accesses +=
//       memory.write(followed, weight, [&] { sampler.refresh(followed); });   // its window is over
//
// A window has as many samples as it has accesses that count: those made, times the window's weight
// (StackCutter::weight), divided by what a sample stands for. So all samples stand for the same
// number of accesses, unless a window has logged too few for that; then they stand for more.

#include <functional>
#include <random>

#include "record/software/follower.h"
#include "record/software/recording_file.h"

namespace pgokit::record {

class MemorySampler {
 public:
  MemorySampler(RecordingFile& recording, u64 accesses_per_sample)
      : recording_(recording), per_sample_(accesses_per_sample) {}

  // How many samples were written. `refresh` reads the mappings of the process again.
  u64 write(const FollowedThread& thread, double weight, const std::function<void()>& refresh);

 private:
  void tell_mappings(const FollowedThread& thread, const std::function<void()>& refresh);

  RecordingFile& recording_;
  u64 per_sample_;
  u64 windows_ = 0;
  std::minstd_rand random_{1};  // the same for each recording
};

}  // namespace pgokit::record
