#include "pipeline/read_input.h"

#include <algorithm>
#include <iterator>

#include "base/file.h"
#include "base/huge_pages.h"
#include "base/saturated.h"
#include "samples/program_match.h"
#include "unwind/contexts/merge_contexts.h"

namespace pgokit::pipeline {
namespace {

Status read_file(const std::string& path, const program::Program& program,
                 const ReadOptions& options, ReadInput& into) {
  auto file = TRY(MappedFile::open(path));
  prefer_huge_pages(file.bytes().size());
  const Input* kind = options.insist
                          ? options.insist
                          : TRY_IN(path, identify_counts(file.bytes(), options.allow_ip));
  // What is finished after the last file does not add up with anything else.
  if (into.kind && into.kind != kind && (into.kind->finish || kind->finish))
    return fail("{}: it is {}, and the inputs before it are of another kind", path, kind->name);
  if (!into.kind || !into.kind->of_samples) into.kind = kind;
  into.bytes += file.bytes().size();
  ++into.files;
  TRY_IN(path, kind->read({path, file.bytes(), program, options}, into));
  into.origins.resize(into.files);
  return {};
}

void add(samples::ScriptFacts&& more, samples::ScriptFacts& all) {
  if (all.bad_branches == 0) {
    all.first_bad_line = more.first_bad_line;
    all.first_bad_text = std::move(more.first_bad_text);
  }
  all.bad_frames += more.bad_frames;
  all.bad_branches += more.bad_branches;
  all.unparsable_events += more.unparsable_events;
}

}  // namespace

Status add(ReadInput&& more, ReadInput& all) {
  bool first = all.files == 1;
  if (!first && more.contexts.has_value() != all.contexts.has_value())
    return fail(
        "it has {} and the inputs before it have {}: make a profile of each kind, or a flat one of "
        "all",
        more.contexts ? "call chains" : "no call chains", more.contexts ? "none" : "them");
  if (first) {
    all.contexts = std::move(more.contexts);
    all.counts = std::move(more.counts);
    all.script = std::move(more.script);
  } else {
    if (all.contexts)
      unwind::merge(*all.contexts, *more.contexts);
    else
      samples::merge(all.counts, more.counts);
    add(std::move(more.script), all.script);
  }
  all.traces.add(std::move(more.traces));
  all.addresses.insert(all.addresses.end(), more.addresses.begin(), more.addresses.end());
  for (auto& event : more.address_events)
    if (!std::ranges::count(all.address_events, event)) all.address_events.push_back(event);
  if (more.ip_only) {
    if (!all.ip_only) all.ip_only.emplace();
    all.ip_only->add(*more.ip_only);
  }
  all.has_chains |= more.has_chains;
  all.ips.insert(all.ips.end(), more.ips.begin(), more.ips.end());
  all.use.add(more.use);
  all.events.add(std::move(more.events));
  all.ranges.add(more.ranges);
  all.unwound.add(more.unwound);
  all.unreadable.add(more.unreadable);
  if (all.other_kind_line == 0) all.other_kind_line = more.other_kind_line;
  all.mapped &= more.mapped;
  all.matched_by_name |= more.matched_by_name;
  all.by_pgokit |= more.by_pgokit;
  all.windows.add(more.windows);
  std::ranges::move(more.origins, std::back_inserter(all.origins));
  all.all_counted |= more.all_counted;
  all.part_of_run |= more.part_of_run;
  all.uncounted_stretches = add_saturated(all.uncounted_stretches, more.uncounted_stretches);
  all.counted_elsewhere.add(more.counted_elsewhere);
  if (all.cut_short.empty()) all.cut_short = std::move(more.cut_short);
  return {};
}

Result<ReadInput> read_input(const program::Program& program, const ReadOptions& options) {
  ReadInput all;
  for (const auto& path : options.inputs) {
    options.stage("reading " + std::string(samples::file_name(path)));
    TRY(read_file(path, program, options, all));
  }
  if (all.kind && all.kind->finish) TRY(all.kind->finish(program, options, all));
  const auto& contexts = all.contexts;
  all.distinct_contexts = contexts ? contexts->size() : 0;
  all.distinct_ranges = contexts ? contexts->range_count() : all.counts.ranges.size();
  all.distinct_branches = contexts ? contexts->branch_count() : all.counts.branches.size();
  if (const auto& traces = all.traces.list; !traces.empty()) {
    auto has_range = [](const bolt::Trace& trace) { return trace.to != bolt::unknown; };
    all.distinct_branches = traces.size();
    all.distinct_ranges = static_cast<u64>(std::ranges::count_if(traces, has_range));
  }
  if (!all.addresses.empty()) all.distinct_ranges = all.addresses.size();
  return all;
}

void forget_contexts(const program::Program& program, ReadInput& input) {
  if (!input.contexts) return;
  auto address = [&](program::CodeIndex index) {
    return index == program::no_code ? samples::external : program.code().address_of(index);
  };
  const auto& contexts = *input.contexts;
  for (size_t i = 0; i < contexts.size(); ++i) {
    for (const auto& range : contexts.ranges(i))
      input.counts.ranges.push_back({address(range.first), address(range.last), range.count});
    for (const auto& branch : contexts.branches(i))
      input.counts.branches.push_back({address(branch.from), address(branch.to), branch.count});
  }
  samples::normalize(input.counts);
  input.contexts.reset();
}

}  // namespace pgokit::pipeline
