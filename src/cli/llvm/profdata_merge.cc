// llvm-profdata merge: the same options, the same bytes. Instrumentation profiles are in
// profdata_merge_instr.cc.

#include <cmath>

#include "base/file.h"
#include "base/leak_until_exit.h"
#include "cli/function_filter.h"
#include "cli/llvm/llvm_options.h"
#include "cli/llvm/profdata.h"
#include "cli/llvm/profdata_merge_instr.h"
#include "cli/llvm/profdata_options.h"
#include "cli/llvm/symbol_remapping.h"
#include "pipeline/input_files.h"
#include "profile/model/llvm_hash.h"
#include "profile/model/summary.h"
#include "report/print.h"
#include "transform/cold_contexts.h"
#include "transform/flattening.h"
#include "transform/nesting.h"

namespace pgokit::cli {
namespace {

using profile::Format;
using profile::Profile;

struct Settings {
  std::vector<std::string> files, weighted;
  std::string list, output = "-", layout, failure_mode = "any", remapping, symbols;
  std::string function, no_function;
  bool sample = false, instr = false, sparse = false, text = false, plain = false,
       extbinary = false, gcc = false;
  bool partial = false, drop_symbols = false, dump_inputs = false;
  bool merge_cold = false, trim_cold = false;
  u64 cold_frames = 1, threads = 0, size_limit = 0;
  profile::WriteOptions writing;
  LibraryOptions library;
  std::string supplement, ignored_value, debug_info, binary_file, memory_program, memory_version;
  bool all_memory_fields = false, random_hotness = false;
  bool debuginfod = false, vtable_names = false;
  transform::SupplementOptions supplementing;
  double most_zeros = 0.7;
  u64 most_traces = 100, longest_trace = 10000, correlation_warnings = 5;

  Format format = Format::extbinary;
};

OptionTable options_of(Settings& s) {
  OptionTable table{
      "llvm-profdata merge",
      "Merge instrumentation profiles, or sample profiles, with the options of llvm-profdata 22.",
      {{"FILE", "", "the profiles; folders stand for their files", &s.files},
       {"--instr", "", "instrumentation profiles (default)", &s.instr},
       {"--sample", "", "sample profiles", &s.sample},
       {"--weighted-input", "WEIGHT,FILE", "a profile that counts WEIGHT times", &s.weighted},
       {"--input-files,-f", "FILE", "list of profiles, one [WEIGHT,]FILE per line", &s.list},
       {"--output,-o", "FILE", "output file (default: standard output)", &s.output},
       {"--text", "", "text encoding", &s.text},
       {"--binary", "", "binary encoding", &s.plain},
       {"--extbinary", "", "extensible binary encoding (default)", &s.extbinary},
       {"--sparse", "", "instrumentation: leave out functions that did not run", &s.sparse},
       {"--temporal-profile-max-trace-length", "N",
        "instrumentation: traces of N functions at most", &s.longest_trace},
       {"--temporal-profile-trace-reservoir-size", "N", "... a sample of N traces", &s.most_traces},
       {"--gcc", "", "GCC encoding: cannot be written, as in llvm-profdata", &s.gcc},
       {"--use-md5", "", "extbinary: hashes in place of names", &s.writing.md5_names},
       {"--compress-all-sections", "", "extbinary: compressed", &s.writing.compress},
       {"--gen-partial-profile", "", "extbinary: mark it as partial", &s.partial},
       {"--split-layout", "", "functions without inlinees apart", &s.writing.split_layout},
       {"--extbinary-write-vtable-type-prof", "", "extbinary: with virtual tables",
        &s.writing.vtables},
       {"--prof-sym-list", "FILE", "extbinary: functions for the symbol list", &s.symbols},
       {"--drop-profile-symbol-list", "", "leave out the inputs' symbol lists", &s.drop_symbols},
       {"--function", "REGEX", "only these functions", &s.function},
       {"--no-function", "REGEX", "not these functions", &s.no_function},
       {"--sample-merge-cold-context", "", "add up cold contexts", &s.merge_cold},
       {"--sample-trim-cold-context", "", "leave out cold contexts", &s.trim_cold},
       {"--sample-frame-depth-for-cold-context", "N", "... by their last N frames", &s.cold_frames},
       one_of({"--convert-sample-profile-layout", "LAYOUT", "{}", &s.layout}, {"nest", "flat"},
              First::is_like_the_others),
       {"--output-size-limit", "BYTES", "leave out cold functions until it is smaller",
        &s.size_limit},
       one_of({"--failure-mode", "MODE", "{}", &s.failure_mode}, {"any", "all", "warn"}),
       {"--remapping-file,-r", "FILE", "new names of functions: OLD NEW on each line",
        &s.remapping},
       {"--num-threads,-j", "N", "threads (0: all cores)", &s.threads},
       {"--dump-input-file-list", "", "print weights and inputs, and stop", &s.dump_inputs},
       {"--profiled-binary", "FILE", "memory profiles: the program that raw ones are of",
        &s.memory_program},
       {"--memprof-version", "N", "... form to write: 2, 3 (default) or 4", &s.memory_version},
       {"--memprof-full-schema", "", "... with all that is known of allocations",
        &s.all_memory_fields},
       {"--memprof-random-hotness", "", "... not here", &s.random_hotness},
       {"--memprof-random-hotness-seed", "X", "", &s.ignored_value, false, true},
       {"--debug-info", "FILE", "instrumentation: the program, built to correlate by debug info",
        &s.debug_info},
       {"--binary-file", "FILE", "... built to correlate by its own sections", &s.binary_file},
       {"--max-debug-info-correlation-warnings", "N", "... N warnings of it at most (0: all)",
        &s.correlation_warnings},
       {"--debuginfod", "", "instrumentation: not here", &s.debuginfod},
       {"--keep-vtable-symbols", "", "instrumentation: not here", &s.vtable_names},
       {"--supplement-instr-with-sample", "FILE",
        "instrumentation: raise functions that this sample profile has as hot", &s.supplement},
       {"--suppl-min-size-threshold", "N", "... with N counters at least (10)",
        &s.supplementing.least_counters},
       {"--zero-counter-threshold", "SHARE", "... only mark those with more zeros (0.7)",
        &s.most_zeros},
       {"--instr-prof-cold-threshold", "N", "... that have no larger count",
        &s.supplementing.cold_count}},
      ""};
  add_library_options(table, s.library);
  return table;
}

Status check_settings(const Settings& s) {
  if (!s.layout.empty() && s.layout != "nest" && s.layout != "flat")
    return fail("for the --convert-sample-profile-layout option: Cannot find option named '{}'!",
                s.layout);
  if (!s.memory_version.empty() && s.memory_version != "2" && s.memory_version != "3" &&
      s.memory_version != "4")
    return fail("for the --memprof-version option: Cannot find option named '{}'!",
                s.memory_version);
  if (s.failure_mode != "any" && s.failure_mode != "all" && s.failure_mode != "warn")
    return fail("for the --failure-mode option: Cannot find option named '{}'!", s.failure_mode);
  return check_library_options(s.library);
}

Result<pipeline::Inputs> inputs_of(const Settings& s) {
  pipeline::Inputs inputs;
  for (const auto& file : s.files) TRY(pipeline::add_input(inputs, file, 1, true));
  for (const auto& weighted : s.weighted) TRY(pipeline::add_weighted(inputs, weighted, true));
  if (!s.list.empty()) TRY(pipeline::add_list(inputs, s.list, true));
  if (inputs.empty()) return fail("no input files specified. See llvm-profdata merge -help");
  return inputs;
}

void warn_of_options(const Settings& s, const Profile& profile) {
  if (s.format == Format::extbinary) return;
  auto ignored = [](bool given, const char* option) {
    if (given)
      report::print(stderr, "warning: -{} is ignored. Specify -extbinary to enable it\n", option);
  };
  if (profile.symbols.size() != 0)
    report::print(
        stderr,
        "warning: Profile Symbol list is not empty but the output format is not ExtBinary "
        "format. The list will be lost in the output. \n");
  ignored(s.writing.compress, "compress-all-section");
  ignored(s.writing.md5_names, "use-md5");
  ignored(s.partial, "gen-partial-profile");
}

void convert(const Settings& s, Profile& profile) {
  if (profile.flags.context_sensitive && (s.merge_cold || s.trim_cold))
    transform::trim_cold_contexts(
        profile, {.hot_count = s.library.cold_threshold(s.library.contextless_summary
                                                            ? profile::summarize(profile, true)
                                                            : profile::summarize_contexts(profile)),
                  .merge = s.merge_cold,
                  .trim = s.trim_cold,
                  .frames = static_cast<u32>(std::max<u64>(s.cold_frames, 1)),
                  .base_only = false});
  if (s.layout == "flat" && profile.flags.context_sensitive)
    transform::drop_contexts(profile, transform::Versions::as_in_peer);
  else if (s.layout == "flat")
    transform::flatten_inlinees(profile, 0, transform::Versions::as_in_peer);
  else if (s.layout == "nest" && profile.flags.context_sensitive)
    transform::nest_contexts(profile, {s.library.merged_base_profiles});
}

// By the text of the context, or by the name. Hashes stand for their decimal digits; where the last
// input had hashes, an expression that is a whole name finds the name's hash too.
Status filter(const Settings& s, const profile::MergedFiles& merged, Profile& profile) {
  if (s.function.empty() && s.no_function.empty()) return {};
  auto wanted = TRY(FunctionFilter::compile(s.function));
  auto unwanted = TRY(FunctionFilter::compile(s.no_function));
  bool hashes = false;
  for (const auto& input : merged.inputs)
    if (input.error.empty()) hashes = input.md5_names;
  auto matches = [&](const FunctionFilter& filter, const std::string& name) {
    return filter.matches(name) || (hashes && filter.is_name_of(name));
  };
  size_t before = profile.functions().size();
  profile.keep_if([&](const profile::Function& function) {
    auto name = profile.flags.context_sensitive
                    ? profile.contexts.text(function.context, profile.names)
                    : std::string(profile.names.text(function.samples.name));
    if (unwanted.is_set() && matches(unwanted, name)) return false;
    return matches(wanted, name);
  });
  report::print(stderr, "{} of {} functions in the original profile are filtered.\n",
                before - profile.functions().size(), before);
  return {};
}

// Of all functions, before some are dropped.
std::vector<profile::ContextId> metadata_order(const Profile& profile) {
  std::vector<profile::ContextId> contexts;
  for (u32 i : profile::llvm_table_order(profile::LlvmKeys(profile).all()))
    contexts.push_back(profile.functions()[i].context);
  return contexts;
}

// Leaves out the functions with the smallest totals, the square of the excess at a time.
Result<std::string> write_within(const Settings& s, Profile& profile) {
  while (true) {
    auto bytes = TRY(profile::write_profile(profile, s.format, s.writing));
    if (s.size_limit == 0 || bytes.size() <= s.size_limit) return bytes;
    auto ordered = profile.ordered();
    if (ordered.empty()) return fail("Too much profile data");
    double ratio = static_cast<double>(s.size_limit) / static_cast<double>(bytes.size());
    auto kept =
        static_cast<size_t>(std::round(static_cast<double>(ordered.size()) * ratio * ratio));
    kept = std::min(kept, ordered.size() - 1);
    if (kept == 0) return fail("Too much profile data");
    std::vector<bool> keep(profile.contexts.end());
    for (size_t i = 0; i < kept; ++i) keep[static_cast<size_t>(ordered[i]->context)] = true;
    profile.keep_if([&](const profile::Function& function) {
      return keep[static_cast<size_t>(function.context)];
    });
  }
}

Status merge_instr(Settings& s, const pipeline::Inputs& inputs) {
  if (!s.debug_info.empty() + !s.binary_file.empty() + s.debuginfod > 1)
    return fail(
        "Expected only one of -debug-info, -binary-file, -debuginfod or -debug-file-directory");
  if (s.debuginfod)
    return fail(
        "--debuginfod: nothing is fetched while profiles are merged: fetch the program by "
        "debuginfod-find and give it by --debug-info or --binary-file");
  for (auto [given, option] : {std::pair(s.vtable_names, "--keep-vtable-symbols"),
                               {s.random_hotness, "--memprof-random-hotness"}})
    if (given) return fail("{} is not known here: take llvm-profdata", option);
  if (s.gcc) return fail("unknown format is specified");
  instr_profile::MemoryFormWanted memory_form{.all_fields = s.all_memory_fields};
  if (!s.memory_version.empty()) memory_form.version = s.memory_version[0] - '0';
  s.supplementing.most_zeros = static_cast<float>(s.most_zeros);
  return merge_instr_as_llvm(inputs, {.output = s.output,
                                      .text = s.format == Format::text,
                                      .sparse = s.sparse,
                                      .failure_mode = s.failure_mode,
                                      .function = s.function,
                                      .no_function = s.no_function,
                                      .remapping = s.supplement.empty() ? s.remapping : "",
                                      .debug_info = s.debug_info,
                                      .binary_file = s.binary_file,
                                      .correlation_warnings = s.correlation_warnings,
                                      .memory_program = s.memory_program,
                                      .memory_form = memory_form,
                                      .supplement = s.supplement,
                                      .supplementing = s.supplementing,
                                      .threads = s.threads,
                                      .most_traces = s.most_traces,
                                      .longest_trace = s.longest_trace});
}

void drop_vtables(profile::FunctionSamples& function) {
  function.vtables.reset();
  for (auto& [place, inlinees] : function.inlinees)
    for (auto& [name, inlinee] : inlinees) drop_vtables(*inlinee);
}

// llvm-profdata loses contexts, checksums and virtual tables of profiles whose functions it renames.
Status finish_remapping(Profile& profile) {
  if (profile.flags.context_sensitive)
    return fail("--remapping-file: of a profile with contexts, which it would lose");
  if (profile.flags.probe_based)
    return fail("--remapping-file: of a profile with probes, whose checksums it would lose");
  for (auto& function : profile.functions()) drop_vtables(function.samples);
  return {};
}

Status merge_samples(Settings& s, const pipeline::Inputs& inputs) {
  if (!s.supplement.empty())
    return fail("-supplement-instr-with-sample can only work with -instr. ");
  auto remapping = TRY(SymbolRemapping::read_if_given(s.remapping));
  auto& merged = leak_until_exit(TRY(profile::merge_files(
      inputs, {.rule = profile::ChecksumRule::first,
               .llvm_order = true,
               .llvm_order_of_plain = s.layout == "flat",
               .strict = s.failure_mode == "any",
               .distinct = false,
               .rename = remapping ? std::cref(*remapping) : profile::FileTables::Rename(),
               .reading = s.library.reading(),
               .threads = static_cast<unsigned>(s.threads)})));
  for (const auto& input : merged.inputs)
    if (!input.error.empty()) report::print(stderr, "warning: {}\n", input.error);
  for (const auto& note : merged.mismatches) report::print(stderr, "{}\n", note);
  Profile& profile = merged.profile;
  if (remapping) TRY(finish_remapping(profile));
  convert(s, profile);
  bool drops = s.size_limit > 0 || !s.function.empty() || !s.no_function.empty();
  if (drops && s.format == Format::extbinary) s.writing.metadata_order = metadata_order(profile);
  TRY(filter(s, merged, profile));
  profile.flags.partial = s.partial;
  s.writing.llvm_order = true;
  s.writing.contexts_apart = !s.library.contextless_summary;
  if (s.drop_symbols) profile.symbols = {};
  if (!s.symbols.empty()) TRY(pipeline::add_symbols(profile, s.symbols));
  if (s.gcc)
    return fail("{}: Profile encoding format unsupported for writing operations", s.output);
  warn_of_options(s, profile);
  auto bytes = TRY_IN(s.output, write_within(s, profile));
  auto output = TRY(OutputFile::create(s.output));
  output.write(bytes);
  return output.commit();
}

Status merge(Settings& s) {
  auto inputs = TRY(inputs_of(s));
  if (s.dump_inputs) {
    for (const auto& input : inputs) report::print("{},{}\n", input.weight, input.path);
    return {};
  }
  return s.sample ? merge_samples(s, inputs) : merge_instr(s, inputs);
}

// Of several the last one counts. They are values of one option in LLVM's tool, and have none.
Status choose_format(Settings& s, std::span<char* const> arguments) {
  s.gcc = false;
  for (std::string_view word : arguments) {
    if (!word.starts_with('-')) continue;
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    size_t equals = std::min(word.find('='), word.size());
    auto name = word.substr(0, equals);
    if (equals < word.size() &&
        (name == "text" || name == "binary" || name == "extbinary" || name == "gcc"))
      return fail("for the --{} option: does not allow a value! '{}' specified.", name,
                  word.substr(equals + 1));
    bool gcc = word == "gcc";
    if (word == "text" || word == "binary" || word == "extbinary" || gcc) s.gcc = gcc;
    if (word == "text") s.format = Format::text;
    if (word == "binary") s.format = Format::binary;
    if (word == "extbinary") s.format = Format::extbinary;
    if (word == "instr" || word == "sample") s.sample = word == "sample";
  }
  return {};
}

int run(std::span<char* const> arguments) {
  Settings s;
  if (auto exit = parse_llvm_options(options_of(s), arguments)) return *exit;
  auto wrong = choose_format(s, arguments);
  if (wrong) wrong = check_settings(s);
  if (!wrong) {
    report::print(stderr, "llvm-profdata: {}\n", wrong.error().message);
    return 1;
  }
  auto status = merge(s);
  return status ? 0 : report_llvm_error(status.error());
}

}  // namespace

constexpr Command profdata_merge_command{"merge", "merge several profiles into one", run};

}  // namespace pgokit::cli
