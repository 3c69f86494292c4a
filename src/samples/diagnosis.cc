#include "samples/diagnosis.h"

namespace pgokit::samples {

RangeDiagnosis diagnose(const std::vector<BranchFolder::RawRange>& ranges,
                        const binary::CodeMap& code, const binary::FunctionTable& functions) {
  RangeDiagnosis found;
  for (const auto& range : ranges) {
    auto start = binary::CodeIndex(range.start), last = binary::CodeIndex(range.last);
    bool starts = range.start != BranchFolder::outside(),
         ends = range.last != BranchFolder::outside();
    found.total += range.count;
    if (!starts && !ends) continue;  // all of it outside: not a fault
    if (!starts || !ends || !code.is_transfer(last)) found.off_boundary += range.count;

    u64 start_address = starts ? code.address_of(start).value : external.value;
    const auto* function = functions.find(start_address);
    if (!function) {
      found.outside_functions += range.count;
      continue;
    }
    if (!functions.has_trusted_name(function->function)) found.from_symbols += range.count;
    u64 last_address = ends ? code.address_of(last).value : external.value;
    if (last_address >= function->end) found.across_functions += range.count;
    if (starts && ends && !code.falls_through(start, last)) found.bogus += range.count;
  }
  return found;
}

}  // namespace pgokit::samples
