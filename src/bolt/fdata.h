#pragma once

// fdata, BOLT's text of branches by function and offset:
//
//   1 main 2a 1 work 0 3 120        kind name offset (where from), the same (where to),
//                                   mispredictions, count; offsets are hexadecimal
//   0 [unknown] 0 1 main 0 0 1      kind 0: outside of the program
//
// or, of samples without branch stacks:
//
//   no_lbr cycles:u:                the events
//   1 main 2a 7
//
//   write_fdata(profile, functions, take);

#include <span>

#include "bolt/profile.h"
#include "report/text_buffer.h"

namespace pgokit::bolt {

void write_fdata(const BranchProfile& profile, const Functions& functions,
                 const report::TakeText& take);
void write_fdata(const AddressProfile& profile, std::span<const std::string> events,
                 const Functions& functions, const report::TakeText& take);

}  // namespace pgokit::bolt
