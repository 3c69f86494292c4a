#pragma once

// Samples without branch stacks → how often each instruction, and each call in a call chain, was
// seen.
//
//   auto read = TRY(count_ips(recording, program, {}));          // perf.data
//   auto same = TRY(count_ip_script(text, program, {}));         // perf script text
//   IpCounts counts = read.counter.counts();                     // for ip_estimate.h
//
// The program's functions have to be loaded. Processes have their own load addresses, in text too
// where it has a column for the process: `perf script -F pid,ip --show-mmap-events`.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perf/recording.h"
#include "program/program.h"
#include "samples/pair_counter.h"
#include "samples/recording_counts.h"

namespace pgokit::samples {

struct IpCounts {
  struct Seen {
    program::CodeIndex at;
    u64 count = 0;
    bool operator==(const Seen&) const = default;
  };
  // These samples were taken in the function itself, which the call instruction had called.
  struct CallSeen {
    program::CodeIndex call;
    u32 function = 0;  // of the program's FunctionTable
    u64 count = 0;
    bool operator==(const CallSeen&) const = default;
  };
  std::vector<Seen> ips;  // both ascending
  std::vector<CallSeen> calls;
};

// One thread's samples.
class IpCounter {
 public:
  IpCounter(const program::CodeMap& code, const program::FunctionTable& functions)
      : code_(&code), functions_(&functions), seen_(most_seen) {}

  // Leaf first, what is outside as `external`; false where the leaf is not in the program.
  bool add(std::span<const BinaryAddr> chain);
  void merge(const IpCounter& other);
  IpCounts counts() const;

 private:
  // What the code says of a sampled address and the one that its function returns to. Most samples
  // are at few of them: the last ones are kept.
  struct Place {
    BinaryAddr leaf = external, caller = external;
    program::CodeIndex at = program::no_code;  // of the leaf
    program::CodeIndex call = program::no_code;
    u32 function = 0;  // that was called
  };
  static constexpr size_t most_seen = 1 << 10;

  Place place_of(BinaryAddr leaf, BinaryAddr caller) const;
  program::CodeIndex instruction_at(BinaryAddr address) const;
  bool lacks_caller(program::CodeIndex leaf) const;

  const program::CodeMap* code_;
  const program::FunctionTable* functions_;
  std::vector<Place> seen_;
  PairCounter ips_, calls_;
};

struct IpRead {
  explicit IpRead(const program::Program& program) : counter(program.code(), program.functions()) {}

  IpCounter counter;
  SampleUse use;  // `entries` are the frames of call chains
  EventChoice events;
  perf::ReadCounts unreadable;
  u64 mappings = 0;         // of the program's code; 0: it did not run, nothing is counted
  std::string other_build;  // build id of another build of the program that ran
  bool matched_by_name = false;
  bool has_chains = false;
};

// Whether no event of a recording has branch stacks.
bool is_without_branches(const perf::Recording& recording);
// Told of each sample that is used, by the worker that reads it: leaf first.
using EachChain = std::function<void(unsigned worker, std::span<const BinaryAddr> chain)>;
Result<IpRead> count_ips(const perf::Recording& recording, const program::Program& program,
                         const RecordingOptions& options, const EachChain& each = {});

// Text whose lines are [COMM] [PID] [TIME:] [EVENT:] IP, or such a line without IP and then the
// frames of the call chain, one per line.
bool looks_like_ip_script(std::string_view text);
Result<IpRead> count_ip_script(std::string_view text, const program::Program& program,
                               const RecordingOptions& options, const EachChain& each = {});

}  // namespace pgokit::samples
