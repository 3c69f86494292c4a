// The options of llvm-profgen 22, so that pgokit can stand in its place.
#include <charconv>
#include <cstring>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/generation.h"
#include "cli/llvm_listing.h"
#include "cli/mapping_events.h"
#include "cli/options.h"
#include "cli/profgen_context_options.h"
#include "profile/format.h"
#include "samples/raw_profile.h"
#include "unwind/raw_contexts.h"

namespace pgokit::cli {
namespace {

struct Settings {
  GenerationOptions generation;
  ContextSettings contexts;
  std::string perf_script, perf_data, raw_profile, sample_profile;
  std::string output, format = "extbinary", pid;
  bool skip_symbolization = false, ignore_stack_samples = false, use_md5 = false;
  bool show_mmap_events = false, show_density = false, symbol_list = false;
  double density_threshold = 50;
  u64 density_cutoff = profile::hot_cutoff;
  bool show_disassembly = false;
  std::string disassemble_functions;
  LlvmListing listing;
};

OptionTable options_of(Settings& s) {
  auto& g = s.generation;
  OptionTable table{
      "pgokit llvm-profgen",
      "Make a sample profile, with the options of llvm-profgen 22.",
      {
          {"--binary", "FILE", "the profiled program", &g.binary, true},
          {"--output,-o", "FILE", "the profile", &s.output, true},
          {"--perfscript,--ps", "FILE", "text of perf script", &s.perf_script},
          {"--perfdata,--pd", "FILE", "recording (read without perf)", &s.perf_data},
          {"--unsymbolized-profile,--up", "FILE", "raw counts of --skip-symbolization",
           &s.raw_profile},
          {"--llvm-sample-profile", "FILE", "sample profile to be processed again",
           &s.sample_profile},
          {"--format", "FORMAT", "extbinary (default), binary or text", &s.format},
          {"--use-md5", "", "hashes in place of function names", &s.use_md5},
          {"--debug-binary", "FILE", "where the debug information is", &g.program.debug_path},
          {"--dwp", "FILE", "package of split debug information", &g.program.dwp_path},
          {"--use-dwarf-correlation", "", "use debug information although there are probes",
           &g.program.use_dwarf},
          {"--ignore-stack-samples", "", "make a flat profile of hybrid samples",
           &s.ignore_stack_samples},
          {"--skip-symbolization", "", "write raw counts", &s.skip_symbolization},
          {"--use-offset", "BOOL", "raw counts hold offsets (1)", &g.raw_offsets},
          {"--use-first-loadable-segment-as-base", "BOOL", "... from the first segment",
           &g.raw_from_first_load},
          {"--pid", "PID", "mapping events of this process only", &s.pid},
          {"--kernel", "", "the program is the kernel (perf script text)", &g.kernel},
          {"--load-function-from-symbol", "BOOL", "functions without debug information too (1)",
           &g.program.functions_from_symbols},
          {"--fill-zero-for-all-funcs", "BOOL", "report every function", &g.flat.zero_for_all},
          {"--update-total-samples", "BOOL", "totals are sums of the bodies",
           &g.flat.update_totals},
          {"--compress-recursion", "N", "contexts: longest repeated part to leave out (-1: any)",
           &g.contexts_made.compress_recursion},
          {"--csprof-max-context-depth", "N", "... keep so many callers (-1: all)",
           &g.contexts_made.max_depth},
          {"--csprof-max-unsymbolized-context-depth", "N", "... and so many call sites (-1: all)",
           &g.max_unsymbolized_depth},
          {"--infer-missing-frames", "BOOL", "contexts: put tail calls back (1)",
           &g.contexts_made.infer_missing_frames},
          {"--max-search-depth", "N", "... where at most so many are missing",
           &g.contexts_made.max_search_depth},
          {"--trim-cold-profile", "BOOL", "leave out cold functions", &g.contexts.trim_cold},
          {"--populate-profile-symbol-list", "BOOL", "extbinary: list all functions of the program",
           &s.symbol_list},
          {"--show-mmap-events", "", "print where programs and libraries were loaded",
           &s.show_mmap_events},
          {"--show-density", "BOOL", "print the density of the profile", &s.show_density},
          {"--profile-density-threshold", "N", "density below which to warn", &s.density_threshold},
          {"--profile-density-cutoff-hot", "N", "share of samples that density looks at",
           &s.density_cutoff},
          {"--show-disassembly-only", "", "print the program's code and stop", &s.show_disassembly},
          {"--show-pseudo-probe", "", "... with its probes", &s.listing.probes},
          {"--show-source-locations", "", "... with lines", &s.listing.locations},
          {"--show-canonical-fname", "", "... with names as profiles have them",
           &s.listing.canonical_names},
          {"--disassemble-functions", "NAMES", "... of these functions only, parted by commas",
           &s.disassemble_functions},
      },
      "\nDifferences: --perfdata is read natively, each process with its own load address, and\n"
      "build ids are checked.\n"};
  add_context_options(table, g, s.contexts);
  return table;
}

Result<profile::Format> format_named(std::string_view name) {
  for (auto format : {profile::Format::extbinary, profile::Format::binary, profile::Format::text})
    if (name == profile::format_name(format)) return format;
  return fail("Cannot find option named '{}'!", name);
}

Status choose_input(Settings& s) {
  auto& g = s.generation;
  int given = !s.perf_script.empty() + !s.perf_data.empty() + !s.raw_profile.empty() +
              !s.sample_profile.empty();
  if (given == 0)
    return fail(
        "Perf input file is missing, please use one of `--perfscript`, `--perfdata` and "
        "`--unsymbolized-profile` for the input.");
  if (given > 1)
    return fail(
        "`--perfscript`, `--perfdata` and `--unsymbolized-profile` cannot be used together.");
  if (s.skip_symbolization && !s.raw_profile.empty())
    return fail("unsymbolized profile and skip-symbolization cannot be used together.");
  if (!s.perf_script.empty()) g.input = s.perf_script, g.kind = InputKind::script;
  if (!s.perf_data.empty()) g.input = s.perf_data, g.kind = InputKind::recording;
  if (!s.raw_profile.empty()) g.input = s.raw_profile, g.kind = InputKind::raw;
  if (!s.sample_profile.empty()) g.input = s.sample_profile;
  if (g.kernel && !s.perf_data.empty())
    return fail("--kernel is for --perfscript: print the recording with perf script first");
  g.flat_from_hybrid = s.ignore_stack_samples;
  g.keep_wrong_path = true;
  if (s.pid.empty()) return {};
  u32 pid = 0;
  auto [end, error] = std::from_chars(s.pid.data(), s.pid.data() + s.pid.size(), pid);
  if (error != std::errc{} || *end != '\0') return fail("'{}' value invalid for --pid", s.pid);
  g.pid = pid;
  return {};
}

void warn_of_share(u64 part, u64 whole, const char* what) {
  if (part == 0 || whole == 0) return;
  fmt::print(stderr, "warning: {:.2f}%({}/{}) {}\n",
             100.0 * static_cast<double>(part) / static_cast<double>(whole), part, whole, what);
}

void warn_of_program(const binary::Program& program) {
  const auto& functions = program.functions();
  u64 with_code = 0;
  for (u32 i = 0; i < functions.size(); ++i) with_code += !functions.ranges_of(i).empty();
  warn_of_share(functions.without_entry(), with_code,
                "of functions have no known entry: their symbols have other names than the debug "
                "information.");
}

void warn_of_unwinding(const ReadInput& input) {
  if (!input.contexts) return;
  const auto& facts = input.unwound;
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

void warn_of_input(const binary::Program& program, const ReadInput& input) {
  if (input.kind == InputKind::raw) return;
  if (input.script.unparsable_events)
    fmt::print(stderr, "warning: Cannot parse mmap event: {} of them\n",
               input.script.unparsable_events);
  if (!input.mapped)
    fmt::print(
        stderr,
        "warning: No relevant mmap event is matched for {}, will use preferred address ({:#x}) "
        "as the base loading address!\n",
        program.name(), program.text_base().value);
  if (input.script.bad_branches)
    fmt::print(stderr, "warning: Invalid address in LBR record at line {}: {} ({} such lines)\n",
               input.script.first_bad_line, input.script.first_bad_text, input.script.bad_branches);
  warn_of_share(input.unwound.outside_leaves, input.unwound.begun,
                "of samples have leaf external frame in call stack.");
  warn_of_share(input.unwound.bad_return_addresses, input.unwound.samples,
                "of truncated stack samples due to invalid return address, likely caused by frame "
                "pointer omission.");
  const auto& ranges = input.ranges;
  if (ranges.total == 0) fmt::print(stderr, "warning: No samples in perf script!\n");
  warn_of_share(ranges.off_boundary, ranges.total,
                "of samples are from ranges that are not on instruction boundary.");
  warn_of_share(ranges.outside_functions, ranges.total,
                "of samples are from ranges that do not belong to any functions.");
  warn_of_share(ranges.from_symbols, ranges.total,
                "of samples are from functions that are known from the symbol table only.");
  warn_of_share(ranges.across_functions, ranges.total,
                "of samples are from ranges that do cross function boundaries.");
  warn_of_share(ranges.bogus, ranges.total,
                "of samples are from ranges that have range start after or too far from range end "
                "acrossing the unconditinal jmp.");
  warn_of_unwinding(input);
}

void warn_of_density(const Settings& settings, const profile::Profile& profile) {
  auto density = profile::density(profile, static_cast<u32>(settings.density_cutoff));
  if (density.density == 0)
    fmt::print(stderr,
               "warning: The output profile is empty or the --profile-density-cutoff-hot "
               "option is set too low.\n");
  else if (density.density < settings.density_threshold)
    fmt::print(stderr,
               "warning: Sample PGO is estimated to optimize better with {:.1f}x more samples. "
               "Please consider increasing sampling rate or profiling for longer duration to "
               "get more samples.\n",
               settings.density_threshold / density.density);
  if (settings.show_density)
    fmt::print("Functions with density >= {:.1f} account for {:.2f}% total sample counts.\n",
               density.density, static_cast<double>(settings.density_cutoff) / 10000);
}

Status write_output(const std::string& path, std::string_view bytes) {
  auto output = TRY(OutputFile::create(path));
  output.write(bytes);
  return output.commit();
}

Status write_raw(const std::string& path, const binary::Program& program, const ReadInput& input,
                 const GenerationOptions& options) {
  BinaryAddr base = raw_base(program, options);
  if (!input.contexts) return write_output(path, samples::write_raw_profile(input.counts, base));
  auto output = TRY(OutputFile::create(path));
  unwind::write_raw_contexts(*input.contexts, program.code(), base,
                             [&](std::string_view part) { output.write(part); });
  return output.commit();
}

std::vector<std::string> parted_by_commas(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t from = 0; from < list.size();) {
    size_t comma = std::min(list.find(',', from), list.size());
    if (comma > from) parts.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

Status write_generated(const Settings& settings, const binary::Program& program,
                       profile::Format format, Generated& generated) {
  warn_of_density(settings, generated.profile);
  if (settings.symbol_list && format == profile::Format::extbinary)
    for (const auto& range : program.functions().ranges())
      generated.profile.symbols.intern(program.functions().name(range.function));
  auto bytes = TRY(write_profile(generated.profile, format, {.md5_names = settings.use_md5}));
  return write_output(settings.output, bytes);
}

Status process_again(const Settings& settings, const binary::Program& program,
                     profile::Format format) {
  auto file = TRY(MappedFile::open(settings.sample_profile));
  auto read = TRY_IN(file.path(), profile::read_profile(file.bytes()));
  auto generated = TRY(finish_profile(program, std::move(read.profile), settings.generation));
  return write_generated(settings, program, format, generated);
}

Status profgen(Settings& settings) {
  auto& options = settings.generation;
  if (settings.show_disassembly) {
    settings.listing.functions = parted_by_commas(settings.disassemble_functions);
    return print_llvm_listing(options.binary, options.program, settings.listing);
  }
  TRY(choose_input(settings));
  TRY(take_context_settings(settings.contexts, options));
  auto format = TRY(format_named(settings.format));
  if (settings.use_md5 && format != profile::Format::extbinary)
    return fail("use-md5 is only supported with extbinary format");
  auto program = TRY(binary::Program::open(options.binary, options.program));
  TRY(program.load_functions(options.threads));
  warn_of_program(program);
  if (!settings.sample_profile.empty()) return process_again(settings, program, format);
  if (settings.show_mmap_events) TRY(print_mapping_events(options));
  auto input = TRY(read_input(program, options));
  warn_of_input(program, input);
  if (settings.skip_symbolization) return write_raw(settings.output, program, input, options);
  auto generated = TRY(generate_profile(program, input, options));
  return write_generated(settings, program, format, generated);
}

// The peer takes one dash for two, and a switch with or without a value.
std::vector<std::string> with_two_dashes(std::span<char* const> arguments,
                                         const OptionTable& table) {
  auto is_bool = [&](std::string_view name) {
    for (const auto& option : table.options)
      if (option.names == name) return option.value == "BOOL";
    return false;
  };
  std::vector<std::string> result;
  for (std::string argument : arguments) {
    if (argument.size() > 2 && argument[0] == '-' && argument[1] != '-')
      argument.insert(size_t{0}, 1, '-');
    if (is_bool(argument)) argument += "=true";
    result.push_back(std::move(argument));
  }
  return result;
}

int run(std::span<char* const> arguments) {
  Settings settings;
  auto table = options_of(settings);
  auto normalized = with_two_dashes(arguments, table);
  std::vector<char*> pointers;
  for (auto& argument : normalized) pointers.push_back(argument.data());
  if (auto exit = parse_options(table, pointers)) return *exit ? 1 : 0;
  auto status = profgen(settings);
  if (status) return 0;
  fmt::print(stderr, "llvm-profgen: error: {}\n", status.error().message);
  return 1;
}

}  // namespace

constexpr Command llvm_profgen_command{"llvm-profgen",
                                       "make a profile with the options of llvm-profgen", run};

}  // namespace pgokit::cli
