// The layout of blocks and functions, for clang and its linker: Propeller's pair of files.

#include <fmt/format.h>

#include "block_layout/cluster_profile.h"
#include "pipeline/outputs.h"
#include "report/numbers.h"

namespace pgokit::pipeline {
namespace {

using report::counted;
using report::grouped;

constexpr std::string_view endings[] = {".clusters", ".symorder"};

Status check(const Arrival& from) {
  const auto& input = from.input;
  const auto& path = from.options.read.inputs[0];
  if (input.profile || input.counters || (!input.contexts && input.counts.branches.empty()))
    return fail(
        "{}: it does not tell which branches were taken, which a layout is made of: record the "
        "program with pgokit record, or perf record -b",
        path);
  if (input.contexts)
    return usage_error("--context-sensitive: a layout is made of counts without contexts");
  return {};
}

Status write(const Arrival& from, Written& to) {
  TRY(check(from));
  const auto& program = from.program;
  auto counts = TRY(block_layout::count_blocks(program, from.input.counts));
  if (counts.functions.empty())
    return fail(
        "{}: none of what ran is in the {} of the block map of {}: is this the program that was "
        "recorded, and were its hot files compiled with -fbasic-block-address-map?",
        from.options.read.inputs[0], counted(counts.mapped_functions, "function"), program.path());
  auto layout =
      block_layout::lay_out(counts, from.options.clusters.layout, from.options.read.threads);
  auto written = block_layout::write_clusters(program, counts, layout, from.options.clusters);
  to.files[0].write(written.clusters);
  to.files[1].write(written.symbol_order);
  auto score_before = static_cast<u64>(layout.score_before), score = static_cast<u64>(layout.score);
  to.figures = {{"functions", written.functions},
                {"blocks", layout.blocks},
                {"hot_blocks", layout.hot_blocks},
                {"score_before", score_before},
                {"score", score}};
  to.summary = fmt::format("{}, {} of their {} hot; score {} now, {} in this layout",
                           counted(written.functions, "function"), grouped(layout.hot_blocks),
                           counted(layout.blocks, "block"), grouped(score_before), grouped(score));
  if (written.ambiguous)
    to.warnings.push_back(fmt::format(
        "left out {} whose name others have too, which debug information would tell apart: "
        "compile with -g1 or -funique-internal-linkage-names",
        counted(written.ambiguous, "function")));
  if (written.nameless)
    to.warnings.push_back(
        fmt::format("left out {} without a usable symbol", counted(written.nameless, "function")));
  return {};
}

}  // namespace

constexpr Output outputs::clusters{
    .name = "clusters", .needs = Output::Needs::blocks, .write = write, .endings = endings};

}  // namespace pgokit::pipeline
