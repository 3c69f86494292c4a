#pragma once

// What a dump says, added to its module.

#include "instrument/dump.h"
#include "instrument/module.h"

namespace pgokit::instrument {

// Functions of one dump that could not be taken.
struct DumpUse {
  u64 functions = 0;      // that were added
  u64 outside = 0;        // their counters are past the end of the dump
  u64 implausible = 0;    // a value that no run gives: a count over 2^56, a byte neither 0 nor 0xff
  u64 unknown_order = 0;  // entries of the order log that are of no function, or of two
};

// Whether the dump's counters can be those of the module: their addresses agree, and the last
// function's are in it.
bool fits(const Module& module, const Dump& dump);

// Adds counters and first runs times `weight`. Edges are not looked at.
DumpUse add_dump(Module& module, const Dump& dump, u64 weight);

}  // namespace pgokit::instrument
