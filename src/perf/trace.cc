// Source of truth: enum auxtrace_type in tools/perf/util/auxtrace.h.
#include "perf/trace.h"

#include <fmt/format.h>

#include "base/cursor.h"

namespace pgokit::perf {
namespace {

constexpr std::string_view stacks = "i1000il64";  // 64 branches each 1,000 instructions
constexpr Trace known[] = {{"a trace of its processor", stacks},
                           {"Intel PT", stacks},
                           {"Intel BTS", stacks},
                           {"CoreSight ETM", stacks},
                           {"Arm SPE", "bl"}};

}  // namespace

std::string Trace::command(std::string_view input, std::string_view output) const {
  return fmt::format("perf inject --itrace={} --strip -i {} -o {}", itrace, input, output);
}

std::optional<Trace> trace_of(const Recording& recording) {
  std::optional<Trace> trace;
  u64 bytes = 0;
  recording.for_each_other([&](const Record& record) {
    if (record.type == RecordType::auxtrace) bytes += record.payload.size();
    if (record.type != RecordType::auxtrace_info) return;
    u32 type = Cursor(record.body).get<u32>();
    trace = known[type < std::size(known) ? type : 0];
  });
  if (trace) trace->bytes = bytes;
  return trace;
}

}  // namespace pgokit::perf
