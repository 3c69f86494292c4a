#pragma once

// Records with the processor's branch stacks: the kernel writes the records, this copies them.
//
//   auto [rung, why] = choose_rung(hardware_ladder(), settings);
//   auto summary = TRY(record_in_hardware(*rung, settings));

#include "record/hardware/branch_events.h"
#include "record/recorder.h"

namespace pgokit::record {

// The first rung that can be opened for what is to be recorded.
Choice choose_rung(const std::vector<Rung>& ladder, const RecordSettings& settings,
                   EventSource& events = kernel_events());

Result<RecordSummary> record_in_hardware(const Rung& rung, const RecordSettings& settings,
                                         EventSource& events = kernel_events());

}  // namespace pgokit::record
