#include "stacks/read/read.h"

#include <algorithm>

#include "base/cursor.h"
#include "samples/program_match.h"

namespace pgokit::stacks {
namespace {

bool any_event(const perf::Recording& recording, auto has) {
  return std::ranges::any_of(recording.events(),
                             [&](const perf::Event& event) { return has(event.attr); });
}

// Why the samples of a recording have no call chains.
Status check_chains(const perf::Recording& recording) {
  if (any_event(recording, [](const auto& attr) { return attr.has(perf::field::stack_user); }))
    return fail(
        "its call chains are copies of stacks (--call-graph dwarf), which perf unwinds: export the "
        "text of perf script");
  if (any_event(recording, [](const auto& attr) {
        return (attr.branch_sample_type & perf::branch::call_stack) != 0;
      }))
    return fail(
        "its call chains are branch records of the processor (--call-graph lbr), which perf puts "
        "together: export the text of perf script");
  if (any_event(recording, [](const auto& attr) { return attr.has(perf::field::callchain); }))
    return {};
  if (!recording.features().branch_counts.empty())
    return fail(
        "its counts are not by calling context: record with pgokit record --exact --contexts");
  return fail("its samples have no call chains: record with perf record -g, or pgokit record");
}

}  // namespace

Result<Read> read_stacks(Bytes file, const ReadOptions& options) {
  if (!perf::Recording::recognizes(file)) return read_script(as_text(file), options);
  auto recording = TRY(perf::Recording::open(file, options.threads));
  if (!recording.features().branch_contexts.empty()) return read_counts(recording, options);
  TRY(check_chains(recording));
  auto read = TRY(read_recording(recording, options));
  if (read.stacks.samples.empty() && options.pid)
    return fail("no sample of process {} is in it", *options.pid);
  if (read.stacks.samples.empty() && !recording.features().branch_counts.empty())
    return fail(
        "its counts are not by calling context: record with pgokit record --exact --contexts");
  if (read.stacks.samples.empty()) return fail("{}", samples::no_samples);
  return read;
}

}  // namespace pgokit::stacks
