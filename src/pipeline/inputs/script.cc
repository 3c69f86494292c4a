// Text of perf script: branch stacks, with or without call chains; or neither, for an estimate.

#include "perf/script.h"

#include "base/cursor.h"
#include "pipeline/estimate.h"
#include "pipeline/foreign_formats.h"
#include "pipeline/hybrid.h"
#include "pipeline/read_input.h"
#include "samples/script_counts.h"
#include "unwind/hybrid_script.h"

namespace pgokit::pipeline {
namespace {

// Text with samples of both kinds, of two events perhaps, is read as that of its first sample.
void look_for_other_kind(std::string_view text, perf::ScriptKind kind, ReadInput& input) {
  if (perf::has_columns(kind)) return;
  bool dropped = kind == perf::ScriptKind::hybrid ? input.script.bad_frames > 0
                                                  : input.use[samples::Fate::without_branches] > 0;
  if (dropped) input.other_kind_line = perf::other_kind_line(text, kind);
}

Status count(std::string_view text, perf::ScriptKind kind, const Source& source, ReadInput& input) {
  const auto& [path, bytes, program, options] = source;
  Progress progress("reading", text.size(), options.progress);
  samples::ScriptOptions how{.pid = options.pid,
                             .kernel = options.kernel,
                             .llvm_profgen = options.llvm_profgen,
                             .run_to_next_branch = options.run_to_next_branch,
                             .threads = options.threads,
                             .progress = &progress};
  if (options.by_context && perf::has_chains(kind)) {
    how.run_to_next_branch = false;
    auto read = TRY(unwind::unwind_script(text, program, hybrid_rules(program, options), how));
    input.mapped = read.script.mapped;
    input.script = std::move(read.script);
    input.use = read.use;
    take_contexts(std::move(read), input);
    return {};
  }
  auto read = TRY(samples::count_script(text, program, how));
  input.counts = read.sums.counts(options.threads);
  input.ranges = samples::diagnose(read.sums.raw_ranges(), program.code(), program.functions(),
                                   options.list_faults, options.threads);
  input.use = read.use;
  input.unwound.begun = read.begun;
  input.unwound.outside_leaves = read.outside_leaves;
  input.mapped = read.facts.mapped;
  input.script = std::move(read.facts);
  return {};
}

Status read(const Source& source, ReadInput& into) {
  const auto& options = source.options;
  if (options.event && !options.event->empty())
    return usage_error(
        "--event {}: the events of text with branch stacks are not told apart; give the recording "
        "itself",
        *options.event);
  auto text = as_text(source.bytes);
  auto kind = options.llvm_profgen ? perf::detect_script(text) : perf::detect_text(text);
  ReadInput input;
  TRY(count(text, kind, source, input));
  look_for_other_kind(text, kind, input);
  return add(std::move(input), into);
}

Status read_ips(const Source& source, ReadInput& into) {
  const auto& [path, bytes, program, options] = source;
  if (options.kernel)
    return usage_error(
        "--kernel: text without branch stacks does not tell where the kernel was loaded; give the "
        "recording itself");
  ReadInput input;
  auto read = TRY(estimate_from_ips(program, options, input, [&](const auto& each) {
    return samples::count_ip_script(as_text(bytes), program,
                                    {.pid = options.pid, .event = options.event}, each);
  }));
  input.use = read.use;
  input.events = std::move(read.events);
  input.unreadable = read.unreadable;
  input.matched_by_name = read.matched_by_name;
  return add(std::move(input), into);
}

}  // namespace

const Input inputs::script{
    .name = "text of perf script",
    .sniff =
        [](Bytes bytes) { return perf::detect_text(as_text(bytes)) != perf::ScriptKind::invalid; },
    .read = read,
    .of_samples = true};

const Input inputs::ip_script{
    .name = "text of perf script without branch stacks",
    .sniff =
        [](Bytes bytes) {
          return foreign_format(bytes).empty() && samples::looks_like_ip_script(as_text(bytes));
        },
    .read = read_ips,
    .refusal =
        "has no branch stacks; record with 'pgokit record' or perf record -b, and print it with "
        "perf script -F ip,brstack --show-mmap-events; --allow-ip makes a rougher profile of it as "
        "it is",
    .of_samples = true};

}  // namespace pgokit::pipeline
