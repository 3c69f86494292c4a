#include "cli/llvm/profgen_warnings.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/share.h"
#include "pipeline/read_input.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

void warn_of_share(u64 part, u64 whole, const char* what) {
  if (part == 0 || whole == 0) return;
  report::print(stderr, "warning: {:.2f}%({}/{}) {}\n", 100 * share(part, whole), part, whole,
                what);
}

// The judge's way to print an address in a list.
std::string column(BinaryAddr address) { return fmt::format("{:8x}", address.value); }

void list_functions_without_entry(const program::FunctionTable& functions) {
  for (u32 i = 0; i < functions.size(); ++i) {
    auto ranges = functions.ranges_of(i);
    auto is_entry = [&](const program::FunctionRange& range) { return functions.is_entry(range); };
    if (!ranges.empty() && std::ranges::none_of(ranges, is_entry))
      report::print(
          stderr,
          "warning: Failed to determine function entry for {} due to inconsistent name from "
          "symbol table and dwarf info.\n",
          functions.name(i));
  }
}

// Symbols in functions that the debug information names otherwise.
void list_conflicting_names(const program::Program& program) {
  const auto& functions = program.functions();
  if (!program.file().has_symbol_sizes()) return;
  for (const auto& symbol : program.file().symbols()) {
    const auto* range = functions.find(symbol.address);
    if (symbol.kind != object::SymbolKind::function || symbol.size == 0 || !range ||
        range->from_symbol)
      continue;
    bool conflicts =
        std::ranges::any_of(functions.other_names(range->function), [&](std::string_view name) {
          bool same = symbol.name.starts_with(name);
          return same && (symbol.name.size() == name.size() || symbol.name[name.size()] == '.');
        });
    if (conflicts)
      report::print(stderr,
                    "warning: Conflicting name for symbol {} with range ({}, {}), but the DWARF "
                    "symbol {} indicates an overlapping range ({}, {})\n",
                    symbol.name, column({symbol.address}), column({symbol.address + symbol.size}),
                    functions.name(range->function), column({range->start}), column({range->end}));
  }
}

void list_faults(std::vector<samples::RangeFault> faults) {
  constexpr const char* crosses =
      "Fall through range should not cross function boundaries, likely due to profile and binary "
      "mismatch.";
  const char* texts[] = {
      "Range is not on instruction boundary, likely due to profile and binary mismatch.",
      "Range does not belong to any functions, likely from PLT, .init or .fini section.", crosses,
      "Range start is after or too far from range end."};
  std::ranges::stable_sort(faults, {},
                           [](const samples::RangeFault& f) { return std::pair(f.start, f.last); });
  for (const auto& fault : faults)
    report::print(stderr, "warning: [{},{}]: {}\n", column(fault.start), column(fault.last),
                  texts[fault.kind]);
}

void warn_of_unwinding(const pipeline::ReadInput& input, bool list) {
  if (!input.contexts) return;
  const auto& facts = input.unwound;
  if (facts.cut_chains)
    report::print(stderr,
                  "warning: {} samples have more than {} frames: the outer ones are left out\n",
                  facts.cut_chains, unwind::HybridSampleReader::max_frames);
  if (list && facts.left_program)
    report::print(stderr,
                  "warning: Profile context truncated due to missing probe for call instruction at "
                  "{:#x}\n",
                  samples::external.value);
  warn_of_share(facts.left_program, input.contexts->size(),
                "of profiled contexts are truncated due to missing probe for call instruction.");
  warn_of_share(facts.mismatched_outside, facts.branches,
                "of branches'source is a call instruction but doesn't match call frame stack, "
                "likely due to unwinding error of external frame.");
  warn_of_share(facts.paired_outside * 2, facts.branches,
                "of branches containing paired external address.");
  warn_of_share(facts.unpaired_outside, facts.branches,
                "of branches containing external address but doesn't have another external address "
                "to pair, likely due to interrupt jmp or broken perf script.");
  warn_of_share(facts.mismatched_frames, facts.branches,
                "of branches'source is a call instruction but doesn't match call frame stack, "
                "likely due to frame in prolog/epilog.");
}

}  // namespace

void warn_of_program(const program::Program& program, const ProfgenSettings& settings) {
  if (settings.quiet) return;
  const auto& functions = program.functions();
  if (functions.size() == 0)
    report::print(stderr,
                  "warning: Loading of DWARF info completed, but no binary functions have been "
                  "retrieved.\n");
  bool list = settings.road.read.list_faults;
  if (list) list_conflicting_names(program);
  if (list) list_functions_without_entry(functions);
  u64 with_code = 0;
  for (u32 i = 0; i < functions.size(); ++i) with_code += !functions.ranges_of(i).empty();
  warn_of_share(functions.without_entry(), with_code,
                "of functions failed to determine function entry due to inconsistent name from "
                "symbol table and dwarf info.");
}

void warn_of_input(const program::Program& program, const pipeline::ReadInput& input,
                   const ProfgenSettings& settings) {
  if (settings.quiet || !input.kind->of_samples) return;
  bool list = settings.road.read.list_faults;
  if (input.script.unparsable_events)
    report::print(stderr, "warning: Cannot parse mmap event: {} of them\n",
                  input.script.unparsable_events);
  if (!input.mapped)
    report::print(
        stderr,
        "warning: No relevant mmap event is matched for {}, will use preferred address ({:#x}) "
        "as the base loading address!\n",
        program.name(), program.text_base().value);
  if (input.script.bad_branches)
    report::print(stderr, "warning: Invalid address in LBR record at line {}: {} ({} such lines)\n",
                  input.script.first_bad_line, input.script.first_bad_text,
                  input.script.bad_branches);
  warn_of_share(input.unwound.outside_leaves, input.unwound.begun,
                "of samples have leaf external frame in call stack.");
  for (BinaryAddr address : input.unwound.bad_returns)
    report::print(stderr,
                  "warning: Truncated stack sample due to invalid return address at {:#x}, likely "
                  "caused by frame pointer omission\n",
                  address.value);
  warn_of_share(input.unwound.bad_return_addresses, input.unwound.samples,
                "of truncated stack samples due to invalid return address, likely caused by frame "
                "pointer omission.");
  const auto& ranges = input.ranges;
  if (ranges.total == 0) report::print(stderr, "warning: No samples in perf script!\n");
  if (list) list_faults(ranges.faults);
  warn_of_share(ranges.off_boundary, ranges.total,
                "of samples are from ranges that are not on instruction boundary.");
  warn_of_share(ranges.outside_functions, ranges.total,
                "of samples are from ranges that do not belong to any functions.");
  warn_of_share(ranges.from_symbols, ranges.total,
                "of samples are from ranges that belong to functions recovered from symbol table.");
  warn_of_share(ranges.across_functions, ranges.total,
                "of samples are from ranges that do cross function boundaries.");
  warn_of_share(ranges.bogus, ranges.total,
                "of samples are from ranges that have range start after or too far from range end "
                "acrossing the unconditinal jmp.");
  warn_of_unwinding(input, list);
}

void warn_of_density(const ProfgenSettings& settings, const profile::Density& density) {
  if (settings.quiet)
    ;  // the density may have been asked for all the same
  else if (density.density == 0)
    report::print(stderr,
                  "warning: The output profile is empty or the --profile-density-cutoff-hot "
                  "option is set too low. Please check your command.\n");
  else if (density.density < settings.density_threshold)
    report::print(stderr,
                  "warning: Sample PGO is estimated to optimize better with {:.1f}x more samples. "
                  "Please consider increasing sampling rate or profiling for longer duration to "
                  "get more samples.\n",
                  settings.density_threshold / density.density);
  if (settings.show_density)
    report::print("Functions with density >= {:.1f} account for {:.2f}% total sample counts.\n",
                  density.density,
                  static_cast<double>(settings.road.finish.density_cutoff) / 10000);
}

}  // namespace pgokit::cli
