#pragma once

// Where the records of a recording are: one pass over their headers.
//
//   Scan found = scan_records(data, threads);
//   for (u64 at : found.others) ... data.subspan(at) ...
//
// Each record tells only where the next one is. To go through them on several cores, the data is
// cut into parts, and where the records of a part begin is guessed; a part whose guess is not where
// those before it end is gone through again. So the answer is that of one walk, in any case.

#include <vector>

#include "perf/records.h"

namespace pgokit::perf {

struct Scan {
  TypeCounts types;
  std::vector<u64> others;  // where the records that are not samples are
  std::vector<u64> pieces;  // where pieces of a megabyte or more begin, each with a record
  u64 end = 0;              // behind the last record
  Stop stop = Stop::end;    // why there is no further one
};

Scan scan_records(Bytes data, unsigned threads, u64 part_size = 1 << 23);

}  // namespace pgokit::perf
