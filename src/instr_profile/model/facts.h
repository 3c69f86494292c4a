#pragma once

// What an instrumentation profile says beside its functions.
//
//   if (facts.kind & Kind::ir) ...
//   print(facts.names.find(facts.traces[0].functions[0]));
//
// kind, version, names and binary ids are complete before the first function is handed over, traces
// after the last one; names of text come with its functions.

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "instr_profile/model/memory_section.h"

namespace pgokit::instr_profile {

// The bits are those of the versions in files, except for `frontend`, which only text has.
namespace Kind {
inline constexpr u64 loop_entries = u64{1} << 55, ir = u64{1} << 56,
                     context_sensitive = u64{1} << 57, entry_first = u64{1} << 58,
                     correlated = u64{1} << 59, byte_coverage = u64{1} << 60,
                     entry_only = u64{1} << 61, memory = u64{1} << 62, temporal = u64{1} << 63,
                     frontend = 1;
inline constexpr u64 of_version = ~u64{0} << 32;
}  // namespace Kind

// Functions by their names' hashes in the order of their first runs.
struct Trace {
  u64 weight = 1;
  std::vector<u64> functions;
};

// Names by hash, for values and traces.
class NameIndex {
 public:
  // The text must outlive this.
  void add(std::string_view name);
  void add(u64 hash, std::string_view name) { names_.emplace_back(hash, name), sorted_ = false; }
  // Empty: there is none.
  std::string_view find(u64 hash) const;

 private:
  mutable std::vector<std::pair<u64, std::string_view>> names_;
  mutable bool sorted_ = true;
};

struct Correlation;

struct Facts {
  u64 kind = 0;
  u64 version = 0;  // as in the file, with the bits of its kind; text has none
  std::vector<std::string_view> binary_ids;  // in the file
  std::vector<Trace> traces;
  u64 traces_seen = 0;                       // of which `traces` are a sample
  bool wants_names = false;                  // else `names` stays empty
  const Correlation* correlation = nullptr;  // for raw files that have no functions
  // What llvm-profdata makes of a temporal profile of entries alone, in which there are no times:
  // functions without counters, and a trace by bytes that are none.
  bool as_llvm = false;
  NameIndex names;
  MemorySection memory;      // of indexed files whose kind says so
  bool only_memory = false;  // it has no functions
  std::string warning;       // of the first thing that is strange, though it can be read

  // What views of names are in, where a file has them packed.
  std::deque<std::string> texts;
};

// How a problem of a kind is called, as llvm-profdata does, so that scripts find the same words.
namespace problem {
inline constexpr std::string_view
    format = "unrecognized instrumentation profile encoding format",
    magic = "invalid instrumentation profile data (bad magic)",
    header = "invalid instrumentation profile data (file header is corrupt)",
    version = "unsupported instrumentation profile format version",
    hash_type = "unsupported instrumentation profile hash type",
    too_large = "too much profile data", truncated = "truncated profile data",
    malformed = "malformed instrumentation profile data",
    unpack = "failed to uncompress data (zlib)", empty = "empty raw profile file",
    strange_count = "excessively large counter value suggests corrupted profile data";
}  // namespace problem

}  // namespace pgokit::instr_profile
