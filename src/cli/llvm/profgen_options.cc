#include "cli/llvm/profgen_options.h"

#include <unistd.h>

#include <algorithm>

#include "cli/llvm/profgen_context_options.h"
#include "pipeline/input_checks.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

bool exists(const std::string& path) { return path == "-" || access(path.c_str(), F_OK) == 0; }

}  // namespace

OptionTable profgen_options(ProfgenSettings& s) {
  auto& g = s.road;
  OptionTable table{
      "pgokit llvm-profgen",
      "Make a sample profile, with the options of llvm-profgen 22.",
      {
          {"--binary", "FILE", "the profiled program", &g.binary, true},
          {"--output,-o", "FILE", "the profile; - is standard output", &g.output_path, true},
          {"--perfscript,--ps", "FILE,...", "text of perf script", &s.perf_script},
          {"--perfdata,--pd", "FILE,...", "recordings (read without perf)", &s.perf_data},
          {"--unsymbolized-profile,--up", "FILE,...", "raw counts of --skip-symbolization",
           &s.raw_profile},
          {"--llvm-sample-profile", "FILE,...", "sample profile to be processed again",
           &s.sample_profile},
          one_of({"--format", "FORMAT", "{}", &s.format}, {"extbinary", "binary", "text"}),
          {"--profile-summary-contextless", "BOOL",
           "extbinary: its summary adds up the contexts of a function (1)", &s.contextless_summary},
          {"--use-md5", "", "hashes in place of function names", &s.use_md5},
          {"--debug-binary", "FILE", "where the debug information is", &g.program.debug_path},
          {"--dwp", "FILE", "package of split debug information", &g.program.dwp_path},
          {"--use-dwarf-correlation", "", "use debug information although there are probes",
           &g.program.use_dwarf},
          {"--ignore-stack-samples", "", "make a flat profile of hybrid samples",
           &s.ignore_stack_samples},
          {"--skip-symbolization", "", "write raw counts", &s.skip_symbolization},
          {"--use-offset", "BOOL", "raw counts hold offsets (1)", &g.read.raw_offsets},
          {"--use-first-loadable-segment-as-base", "BOOL", "... from the first segment",
           &g.read.raw_from_first_load},
          {"--pid", "PID", "mapping events of this process only", &g.read.pid},
          {"--kernel", "", "the program is the kernel", &g.read.kernel},
          {"--load-function-from-symbol", "BOOL", "functions without debug information too (1)",
           &g.program.functions_from_symbols},
          {"--fill-zero-for-all-funcs", "BOOL", "report every function", &g.flat.zero_for_all},
          {"--update-total-samples", "BOOL", "totals are sums of the bodies",
           &g.flat.update_totals},
          {"--compress-recursion", "N", "contexts: longest repeated part to leave out (-1: any)",
           &g.read.contexts.longest_recursion},
          {"--csprof-max-context-depth", "N", "... keep so many callers (-1: all)",
           &g.read.contexts.max_depth},
          {"--csprof-max-unsymbolized-context-depth", "N", "... and so many call sites (-1: all)",
           &g.read.contexts.max_call_sites},
          {"--infer-missing-frames", "BOOL", "contexts: put tail calls back (1)",
           &g.read.contexts.infer_missing_frames},
          {"--max-search-depth", "N", "... where at most so many are missing",
           &g.read.contexts.max_search_depth},
          {"--trim-cold-profile", "BOOL", "leave out cold functions", &g.finish.contexts.trim_cold},
          {"--populate-profile-symbol-list", "BOOL", "extbinary: list all functions of the program",
           &s.symbol_list},
          {"--extbinary-write-vtable-type-prof", "BOOL", "extbinary: with the virtual tables seen",
           &g.write.vtables},
          {"--data-access-perftrace", "FILE",
           "text of perf report -D with data addresses: virtual tables of call sites",
           &s.data_accesses},
          {"--show-mmap-events", "", "print where programs and libraries were loaded",
           &s.show_mmap_events},
          {"--show-density", "BOOL", "print the density of the profile", &s.show_density},
          {"--profile-density-threshold", "N", "density below which to warn", &s.density_threshold},
          {"--profile-density-cutoff-hot", "N", "share of samples that density looks at",
           &g.finish.density_cutoff},
          {"--show-disassembly-only", "", "print the program's code and stop", &s.show_disassembly},
          {"--show-pseudo-probe", "", "... with its probes", &s.listing.probes},
          {"--show-source-locations", "", "... with lines", &s.listing.locations},
          {"--show-canonical-fname", "", "... with names as profiles have them",
           &s.listing.canonical_names},
          {"--disassemble-functions", "NAMES", "... of these functions only, separated by commas",
           &s.disassemble_functions},
          one_of({"--x86-asm-syntax", "SYNTAX", "... of x86-64 code: {}", &s.asm_syntax},
                 {"att", "intel"}),
          {"--show-detailed-warning", "", "every fault of ranges, call chains and symbols",
           &g.read.list_faults},
          {"--threads", "N", "how many threads (all cores)", &s.threads},
          {"--quiet", "", "no warnings", &s.quiet},
          {"--stats", "", "what went in and out, in numbers, on standard error", &s.stats},
          {"--timings", "", "time and memory of each stage, on standard error", &s.timings},
          // Taken and without effect, as there is nothing that they would change.
          {"--color", "", "", &s.ignored_switch, false, true},
          {"--print-options,--print-all-options", "", "", &s.ignored_switch, false, true},
      },
      "\nOne dash is as good as two. Of an option that is given twice the last one counts; files\n"
      "separated by commas are read one after the other and counted together.\n"
      "Differences: --perfdata is read natively, each process with its own load address, and\n"
      "build ids are checked.\n"};
  add_context_options(table, g.finish);
  return table;
}

namespace {

// Files of one option. The judge reads the last one of several, and knows no lists.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& given, bool quiet) {
  if (given.empty()) return std::vector<std::string>();
  if (given.size() > 1 && !quiet)
    report::print(stderr,
                  "warning: {} files are given one by one, of which only the last is read, as by "
                  "llvm-profgen: {}; separated by commas all are\n",
                  given.size(), given.back());
  std::vector<std::string> files{given.back()};
  if (!exists(files[0]) && files[0].contains(',')) files = parted_by_commas(files[0]);
  for (const auto& file : files)
    if (!exists(file)) return fail("Input perf file({}) doesn't exist.", file);
  if (files.empty()) return fail("Input perf file({}) doesn't exist.", given.back());
  return files;
}

}  // namespace

std::vector<std::string> parted_by_commas(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t from = 0; from < list.size();) {
    size_t comma = std::min(list.find(',', from), list.size());
    if (comma > from) parts.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

Status choose_input(ProfgenSettings& s) {
  auto& g = s.road;
  if (!exists(g.binary)) return fail("Input binary({}) doesn't exist.", g.binary);
  if (s.asm_syntax != "att" && s.asm_syntax != "intel")
    return fail("for the --x86-asm-syntax option: Cannot find option named '{}'!", s.asm_syntax);
  s.listing.syntax = s.asm_syntax == "att" ? isa::Syntax::att : isa::Syntax::intel;
  if (s.show_disassembly) return {};
  struct Kind {
    const std::vector<std::string>& given;
    const pipeline::Input& kind;
  } const kinds[] = {{s.perf_script, pipeline::inputs::script},
                     {s.perf_data, pipeline::inputs::recording},
                     {s.raw_profile, pipeline::inputs::raw_counts},
                     {s.sample_profile, pipeline::inputs::sample_profile}};
  auto given = [](const Kind& kind) { return !kind.given.empty(); };
  auto count = std::ranges::count_if(kinds, given);
  if (count == 0)
    return fail(
        "Perf input file is missing, please use one of `--perfscript`, `--perfdata` and "
        "`--unsymbolized-profile` for the input.");
  if (count > 1)
    return fail(
        "`--perfscript`, `--perfdata` and `--unsymbolized-profile` cannot be used together.");
  const auto* chosen = std::ranges::find_if(kinds, given);
  g.read.inputs = TRY(files_of(chosen->given, s.quiet));
  g.read.insist = &chosen->kind;
  TRY(pipeline::check_threads(s.threads));
  TRY(pipeline::check_files(g.read.inputs, g.binary, g.output_path));
  if (s.listing.locations)
    return fail("--show-source-locations should work together with --show-disassembly-only!");
  if (s.skip_symbolization && !s.sample_profile.empty())
    return fail(
        "--skip-symbolization writes raw counts, which --llvm-sample-profile has no longer: give "
        "the recording in its place");
  if (s.data_accesses.empty()) return {};
  if (!s.sample_profile.empty())
    return fail("--data-access-perftrace needs a recording, not --llvm-sample-profile");
  return {};
}

}  // namespace pgokit::cli
