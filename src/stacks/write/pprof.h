#pragma once

// pprof's form (profile.proto), not yet packed by gzip: for `go tool pprof` and what reads its files.
//
//   write_pprof(stacks, out);
//
// Each event has two values: how many samples, and the sum of their periods. Functions that were
// inlined are lines of one location; addresses are those of the linker. Samples have labels: pid,
// tid, comm.
// Source of truth: https://github.com/google/pprof/blob/main/proto/profile.proto

#include "report/text_buffer.h"
#include "stacks/model/stacks.h"

namespace pgokit::stacks {

void write_pprof(const Stacks& stacks, report::TextBuffer& out);

}  // namespace pgokit::stacks
