#pragma once

// How well the branch stacks fit the program: what a wrong program, a wrong load address or damaged
// stacks look like.

#include "program/functions.h"
#include "samples/branch_folder.h"

namespace pgokit::samples {

// Weighted numbers of ranges between neighbouring branch entries; one range may count in several.
struct RangeFault {
  enum Kind : u8 { off_boundary, outside_functions, across_functions, bogus };

  BinaryAddr start, last;  // `external`: outside of the program
  Kind kind{};
};

struct RangeDiagnosis {
  u64 total = 0;
  u64 off_boundary = 0;            // starts at no instruction, or ends at none that can branch
  u64 outside_functions = 0;       // starts in no known function
  u64 from_symbols = 0;            // starts in one that the symbol table had to name
  u64 across_functions = 0;        // ends behind the function it starts in
  u64 bogus = 0;                   // something in between never falls through
  std::vector<RangeFault> faults;  // each of them once, where they are asked for

  void add(const RangeDiagnosis& other);
};

RangeDiagnosis diagnose(const std::vector<BranchFolder::RawRange>& ranges,
                        const program::CodeMap& code, const program::FunctionTable& functions,
                        bool list_faults = false, unsigned threads = 1);

}  // namespace pgokit::samples
