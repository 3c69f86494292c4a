#pragma once

// What an instrumented program counted, on the road of samples.

#include <string>
#include <string_view>
#include <vector>

#include "instrument/merge.h"
#include "instrument/module.h"
#include "profile/model/profile.h"
#include "program/program.h"

namespace pgokit::pipeline {

struct Counters {
  // What the counts are of; the first that the instrumentation has.
  enum class Detail : u8 { blocks, targets, calls, coverage };

  instrument::Merger merger;
  std::vector<std::string> dumps;              // files, by the merger's numbers
  instrument::Profile profile;                 // once all files are read
  const instrument::Module* module = nullptr;  // of the program, in it
  Detail detail{};
  u64 calls = 0, calls_without_target = 0;  // of detail blocks, see generate/instrumented.h
};

// Puts functions that never ran on the profile's list of symbols: clang takes those for cold.
void list_never_ran(const program::Program& program, const Counters& counters,
                    profile::Profile& profile);

}  // namespace pgokit::pipeline
