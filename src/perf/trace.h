#pragma once

// Traces of processors in recordings: branches that perf has to decode first.
//
//   if (auto trace = trace_of(recording)) say("{}, {} bytes", trace->name, trace->bytes);

#include <optional>
#include <string>
#include <string_view>

#include "perf/recording.h"

namespace pgokit::perf {

struct Trace {
  std::string_view name;    // "Intel PT"
  std::string_view itrace;  // what perf inject makes branch stacks of it by
  u64 bytes = 0;

  // The command that does it; the recording that comes of it is `output`.
  std::string command(std::string_view input, std::string_view output) const;
};

// Nothing for a recording without a trace.
std::optional<Trace> trace_of(const Recording& recording);

}  // namespace pgokit::perf
