#pragma once

// What both recorders put into their files.

#include <sys/types.h>

#include <string>
#include <vector>

#include "perf/writer.h"
#include "record/system/memory_map.h"

namespace pgokit::record {

void describe_machine(perf::Writer::Features& features, const std::vector<std::string>& command);
std::string comm_of(pid_t pid, pid_t tid);
// The build id of a mapped file; empty where there is none.
std::vector<u8> build_id_of(pid_t tid, const Mapping& mapping);

}  // namespace pgokit::record
