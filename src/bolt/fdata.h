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
// A recording with loads adds, after the branches:
//
//   4 main 2a 4 table 10 7          where from, which data, count
//
//   write_fdata(profile, functions, take);

#include <span>

#include "bolt/loads.h"
#include "bolt/profile.h"
#include "report/text_buffer.h"

namespace pgokit::bolt {

void write_fdata(const BranchProfile& profile, const Functions& functions,
                 const report::TakeText& take);
void write_fdata(const std::vector<LoadRow>& loads, const Functions& functions,
                 const DataObjects& objects, const report::TakeText& take);
void write_fdata(const AddressProfile& profile, std::span<const std::string> events,
                 const Functions& functions, const report::TakeText& take);

}  // namespace pgokit::bolt
