#pragma once

// Sampled loads → the lines of a profile for BOLT that tell which data a function reads.
//
//   auto loads = TRY(read_loads(recording, programs, {}));        // by program, in their order
//   DataObjects objects(file, functions);
//   for (const auto& row : load_profile(functions, objects, loads[0]))
//     use(row.at, objects.name(row.object), row.offset, row.count);
//
// Taken are samples of events with "mem-loads" in their names, as perf2bolt does, and the loads among
// the accesses of `pgokit record --memory`. Loads from the heap, the stack and other files are left
// out.

#include <string>
#include <vector>

#include "bolt/functions.h"
#include "bolt/profile.h"
#include "bolt/recording_traces.h"

namespace pgokit::bolt {

struct Load {
  BinaryAddr at, data;
  u64 count = 0;
};

// Nothing where the recording has no such event.
Result<std::vector<std::vector<Load>>> read_loads(const perf::Recording& recording,
                                                  Programs programs,
                                                  const samples::RecordingOptions& options);

// Data as BOLT divides it: symbols, and what lies between them in a section, as one object each.
class DataObjects {
 public:
  static constexpr u32 none = ~u32{0};

  DataObjects(const object::File& file, const Functions& functions);

  // The innermost that holds the address.
  u32 index_of(u64 address) const;
  u64 address(u32 object) const { return objects_[object].address; }
  std::string name(u32 object) const;

 private:
  void fill_gaps(const object::Section& section);
  void nest();

  std::vector<Functions::Data> objects_;  // ascending by address
  std::vector<u32> around_;               // of each, the object that it lies in
};

struct LoadRow {
  Location at;
  u32 object = 0;
  u64 offset = 0, count = 0;
};
// Ascending.
std::vector<LoadRow> load_profile(const Functions& functions, const DataObjects& objects,
                                  const std::vector<Load>& loads);

}  // namespace pgokit::bolt
