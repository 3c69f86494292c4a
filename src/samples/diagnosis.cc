#include "samples/diagnosis.h"

#include <algorithm>
#include <span>

#include "base/parallel.h"

namespace pgokit::samples {

void RangeDiagnosis::add(const RangeDiagnosis& other) {
  total += other.total;
  off_boundary += other.off_boundary;
  outside_functions += other.outside_functions;
  from_symbols += other.from_symbols;
  across_functions += other.across_functions;
  bogus += other.bogus;
  faults.insert(faults.end(), other.faults.begin(), other.faults.end());
}

namespace {

RangeDiagnosis diagnose_some(std::span<const BranchFolder::RawRange> ranges,
                             const program::CodeMap& code, const program::FunctionTable& functions,
                             bool list_faults) {
  RangeDiagnosis found;
  for (const auto& range : ranges) {
    auto start = program::CodeIndex(range.start), last = program::CodeIndex(range.last);
    bool starts = range.start != BranchFolder::outside(),
         ends = range.last != BranchFolder::outside();
    BinaryAddr start_address = starts ? code.address_of(start) : external;
    BinaryAddr last_address = ends ? code.address_of(last) : external;
    auto fault = [&](u64& count, RangeFault::Kind kind) {
      count += range.count;
      if (list_faults) found.faults.push_back({start_address, last_address, kind});
    };
    found.total += range.count;
    if (!starts && !ends) continue;  // all of it outside: not a fault
    if (!starts || !ends || !code.is_transfer(last))
      fault(found.off_boundary, RangeFault::off_boundary);

    const auto* function = functions.find(start_address.value);
    if (!function) {
      fault(found.outside_functions, RangeFault::outside_functions);
      continue;
    }
    if (!functions.has_trusted_name(function->function)) found.from_symbols += range.count;
    if (last_address.value >= function->end)
      fault(found.across_functions, RangeFault::across_functions);
    if (starts && ends && !code.falls_through(start, last)) fault(found.bogus, RangeFault::bogus);
  }
  return found;
}

}  // namespace

RangeDiagnosis diagnose(const std::vector<BranchFolder::RawRange>& ranges,
                        const program::CodeMap& code, const program::FunctionTable& functions,
                        bool list_faults, unsigned threads) {
  Chunks chunks{ranges.size(), 8192};
  std::vector<RangeDiagnosis> found(chunks.count());
  parallel_for(found.size(), threads, [&](size_t part, unsigned) {
    found[part] = diagnose_some(chunks.of(ranges, part), code, functions, list_faults);
  });
  RangeDiagnosis all;
  for (const auto& part : found) all.add(part);
  return all;
}

}  // namespace pgokit::samples
