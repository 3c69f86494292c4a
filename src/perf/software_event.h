#pragma once

// The event of recordings that pgokit's recorder makes in software: a clock that the kernel has too,
// with branch stacks, which the kernel's never has.
//
//   auto writer = TRY(Writer::create(path, {software_event(period_ns, true)}));

#include "perf/writer.h"

namespace pgokit::perf {

Writer::Event software_event(u64 period_ns, bool callchain);

}  // namespace pgokit::perf
