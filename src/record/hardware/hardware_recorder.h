#pragma once

// Records with the processor's branch stacks: the kernel writes the records, this copies them.
//
//   auto summary = TRY(record_in_hardware(rung, settings));

#include "record/hardware/branch_events.h"
#include "record/recorder.h"

namespace pgokit::record {

Result<RecordSummary> record_in_hardware(const Rung& rung, const RecordSettings& settings);

}  // namespace pgokit::record
