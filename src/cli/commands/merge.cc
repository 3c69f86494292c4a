#include <algorithm>

#include "base/cursor.h"
#include "base/file.h"
#include "base/function_name.h"
#include "base/leak_until_exit.h"
#include "base/saturated.h"
#include "base/shell_word.h"
#include "base/utc_date.h"
#include "cli/commands/commands.h"
#include "cli/commands/merge_instr.h"
#include "cli/commands/merge_instrumented.h"
#include "cli/commands/merge_raw.h"
#include "cli/commands/merge_recordings.h"
#include "cli/function_filter.h"
#include "cli/options.h"
#include "pipeline/foreign_formats.h"
#include "pipeline/input_dates.h"
#include "pipeline/input_files.h"
#include "pipeline/outputs.h"
#include "profile/gcov_format.h"
#include "profile/losses.h"
#include "profile/merge/decay.h"
#include "profile/model/scaling.h"
#include "profile/model/summary.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"
#include "report/timings.h"
#include "transform/cold_contexts.h"
#include "transform/flattening.h"
#include "transform/nesting.h"

namespace pgokit::cli {
namespace {

using profile::Format;
using profile::Profile;

constexpr int some_left_out = 3;  // exit code: written, but not of all inputs

struct Settings {
  std::vector<std::string> files, weighted, lists;
  std::string output, consumer, format, layout, symbols;
  std::string function, no_function, onto;
  bool md5 = false, compress = false, split_layout = false, partial = false;
  bool strict = false, distinct = false, strip_suffixes = false, drop_symbols = false;
  bool merge_cold = false, trim_cold = false, quiet = false, drop_notes = false;
  bool json = false, timings = false;
  std::vector<std::string> given;
  u64 cold_frames = 1, cold_count = 0, max_depth = 0, threads = 0, gcov_version = 0;
  u64 half_life = 0, divisor = 1, quantize_bits = 0;
};

OptionTable options_of(Settings& s) {
  return {
      "pgokit merge",
      "Add up profiles of any form, raw counts, recordings of pgokit record (those with branch "
      "counts),\n"
      "dumps of instrumented programs with their maps, or instrumentation profiles of clang.",
      {{"FILE", "", "the inputs; '-' is standard input, a folder stands for its files", &s.files},
       {"-o,--output", "FILE", "the sum ('-': standard output)", &s.output, true},
       {"-w,--weighted-input", "WEIGHT,FILE", "an input that counts WEIGHT times", &s.weighted},
       {"-f,--input-files", "LIST", "a file that names inputs, one [WEIGHT,]FILE per line",
        &s.lists},
       {"--strict", "",
        "fail if any input cannot be used (else it is left out, and the exit "
        "code is 3)",
        &s.strict},
       {"--distinct", "", "count inputs with the same contents once", &s.distinct},
       one_of({"--for", "CONSUMER",
               fmt::format("who reads it (clang): {}",
                           pipeline::names_of(pipeline::Consumers::of_profiles)),
               &s.consumer},
              pipeline::consumer_names(pipeline::Consumers::of_profiles)),
       one_of({"--format", "FORMAT",
               "extbinary (default), binary, text or gcov; of clang's: indexed (default) or text",
               &s.format},
              {"extbinary", "binary", "text", "gcov", "indexed"}),
       {"--md5,--use-md5", "", "extbinary: hashes in place of names", &s.md5},
       {"--compress,--compress-all-sections", "", "extbinary: compressed", &s.compress},
       {"--split-layout", "", "extbinary: functions without inlinees apart", &s.split_layout},
       {"--partial", "", "extbinary: mark it as covering a part of the program", &s.partial},
       {"--gcov-version", "N",
        "gcov: 2 (GCC 12 to 15; default), 1, 3 (GCC 16), or 407 (llvm-profdata)", &s.gcov_version},
       {"--prof-sym-list", "FILE", "extbinary: functions that exist, one per line", &s.symbols},
       {"--drop-symbol-list", "", "leave out the inputs' lists of functions", &s.drop_symbols},
       {"--drop-notes", "", "leave out the inputs' notes of where they come from", &s.drop_notes},
       {"--half-life", "DAYS",
        "an input counts half as much for each DAYS that it is older than the newest",
        &s.half_life},
       {"--divide", "N", "all counts of the sum divided by N, as weights multiply", &s.divisor},
       {"--quantize", "BITS",
        "counts keep BITS significant bits: what differs a little from run to run is equal",
        &s.quantize_bits},
       one_of({"--layout", "LAYOUT",
               "nested: contexts become inlinees; flat: neither contexts nor inlinees", &s.layout},
              {"nested", "flat"}),
       {"--max-depth", "N", "contexts of the last N frames; inlinees N deep", &s.max_depth},
       {"--merge-cold", "", "add up contexts with few samples by their last frames", &s.merge_cold},
       {"--trim-cold", "", "leave out contexts with few samples", &s.trim_cold},
       {"--cold-frames", "N", "... how many frames (1)", &s.cold_frames},
       {"--cold-count", "N", "... what few is (default: by the summary, 99.9999 %)", &s.cold_count},
       {"--function", "REGEX", "only functions whose name matches", &s.function},
       {"--no-function", "REGEX", "not functions whose name matches", &s.no_function},
       {"--strip-suffixes", "", "add up f.llvm.1, f.part.2 and f", &s.strip_suffixes},
       {"--onto", "MAP",
        "instrumented: counts of other builds go to this one's functions of the same graph",
        &s.onto},
       {"--threads", "N", "0: all cores", &s.threads},
       {"--json", "", "tell what was done as JSON", &s.json},
       {"--timings", "", "time and memory of each stage", &s.timings},
       {"-q,--quiet", "", "no summary", &s.quiet}},
      "\nExit codes: 0 done; 1 nothing written; 2 wrong usage; 3 written without some inputs.\n"
      "Order, grouping and threads do not matter: the same inputs give the same bytes.\n"};
}

Result<pipeline::Inputs> inputs_of(const Settings& s) {
  pipeline::Inputs inputs;
  for (const auto& file : s.files) TRY(pipeline::add_named(inputs, file));
  for (const auto& weighted : s.weighted) TRY(pipeline::add_weighted(inputs, weighted, false));
  for (const auto& list : s.lists) TRY(pipeline::add_list(inputs, list, false));
  if (inputs.empty() && !s.lists.empty()) return fail("{}: names no inputs", s.lists[0]);
  if (inputs.empty())
    return usage_error("give the files to merge: pgokit merge one.prof two.prof -o app.prof");
  return inputs;
}

Status check_settings(const Settings& s, Format format) {
  if (format != Format::extbinary && (s.md5 || s.compress || s.partial || s.split_layout))
    return usage_error(
        "--md5, --compress, --partial and --split-layout are for --format extbinary");
  if (format != Format::extbinary && !s.symbols.empty())
    return usage_error("--prof-sym-list is for --format extbinary");
  if (!s.layout.empty() && s.layout != "nested" && s.layout != "flat")
    return usage_error("--layout {}: nested and flat are known", s.layout);
  auto is_given = [&](std::string_view option) { return std::ranges::count(s.given, option) > 0; };
  if (format != Format::gcov && is_given("--gcov-version"))
    return usage_error("--gcov-version is for --format gcov");
  if (!s.merge_cold && is_given("--cold-frames"))
    return usage_error("--cold-frames is for --merge-cold");
  if (!s.merge_cold && !s.trim_cold && is_given("--cold-count"))
    return usage_error("--cold-count is for --merge-cold and --trim-cold");
  constexpr u64 most_days = 36500;
  if (is_given("--half-life") && (s.half_life == 0 || s.half_life > most_days))
    return usage_error("--half-life {}: days from 1 to {} are wanted", s.half_life, most_days);
  if (s.divisor == 0) return usage_error("--divide 0: a number from 1 on is wanted");
  return is_given("--quantize") ? check_significant_bits(s.quantize_bits) : Status();
}

// What changes sample profiles says nothing about other inputs.
Status check_other_inputs(const Settings& s, std::string_view inputs,
                          std::span<const std::string_view> known) {
  for (const auto& option : s.given)
    if (std::ranges::count(known, option) == 0)
      return usage_error("{} is for sample profiles, the inputs are {}", option, inputs);
  return {};
}

Status check_contexts(const Settings& s, const Profile& profile) {
  if (profile.flags.context_sensitive || !(s.merge_cold || s.trim_cold)) return {};
  return usage_error(
      "{} is for profiles with contexts, and there are none in {}: 'pgokit generate --cs' makes "
      "some, where calls are not inlined into them",
      s.merge_cold ? "--merge-cold" : "--trim-cold",
      s.files.size() == 1 ? s.files.front() : "the inputs");
}

void convert(const Settings& s, Profile& profile) {
  if (s.divisor > 1) profile::divide_counts(profile, s.divisor);
  bool contexts = profile.flags.context_sensitive;
  if (contexts && (s.merge_cold || s.trim_cold)) {
    u64 cold =
        s.cold_count ? s.cold_count : profile::summarize(profile).count_at(profile::cold_cutoff);
    transform::trim_cold_contexts(profile,
                                  {.hot_count = cold,
                                   .merge = s.merge_cold,
                                   .trim = s.trim_cold,
                                   .frames = static_cast<u32>(std::max<u64>(s.cold_frames, 1)),
                                   .base_only = false});
  }
  auto depth = static_cast<unsigned>(std::min<u64>(s.max_depth, profile::max_inline_depth));
  if (depth && contexts) transform::limit_contexts(profile, depth);
  if (s.layout == "flat" && contexts) transform::drop_contexts(profile);
  if (s.layout == "flat" && !contexts) transform::flatten_inlinees(profile, 0);
  if (s.layout == "nested" && contexts) transform::nest_contexts(profile, {});
  if (depth && s.layout != "flat") transform::flatten_inlinees(profile, depth);
}

Status filter(const Settings& s, Profile& profile) {
  auto wanted = TRY(FunctionFilter::compile(s.function));
  auto unwanted = TRY(FunctionFilter::compile(s.no_function));
  if (!wanted.is_set() && !unwanted.is_set()) return {};
  size_t before = profile.functions().size(), hashes = 0, left_out = 0;
  profile.keep_if([&](const profile::Function& function) {
    auto id = function.samples.name;
    auto name = profile.names.text(id);
    bool is_hash = profile.names.is_guid(id);
    hashes += is_hash;
    auto matches = [&](const FunctionFilter& filter) {
      return is_hash ? filter.is_name_of(name) : filter.matches(name);
    };
    bool excluded = unwanted.is_set() && matches(unwanted);
    left_out += excluded;
    return !excluded && (!wanted.is_set() || matches(wanted));
  });
  constexpr const char* whole_names =
      "their names are hashes, which only a whole linkage name ('_Z...') finds";
  if (before && profile.functions().empty())
    return fail("--{}function leaves none of {}: nothing is written{}{}",
                wanted.is_set() ? "" : "no-", report::counted(before, "function"),
                hashes ? "; " : "", hashes ? whole_names : "");
  if (hashes && unwanted.is_set() && left_out == 0)
    report::print(stderr, "pgokit merge: warning: --no-function leaves out none of {}; {}\n",
                  report::counted(before, "function"), whole_names);
  return {};
}

// The first input with a name that the form cannot hold.
Error name_its_input(Error error, const pipeline::Inputs& inputs, Format format) {
  for (const auto& input : inputs) {
    auto file = MappedFile::open(input.path);
    if (!file) continue;
    auto read = profile::read_profile(file->bytes());
    if (!read) continue;
    if (auto names = profile::check_names(read->profile, format); !names)
      return std::move(names).error().in(input.path);
  }
  return std::move(error).in(pipeline::names_of(inputs));
}

// How many bytes were written.
Result<u64> write(const Settings& s, const pipeline::Inputs& inputs,
                  const pipeline::Destination& destination, Profile& profile) {
  auto format = *destination.output->format;
  auto threads = static_cast<unsigned>(s.threads);
  profile::WriteOptions options{.compress = s.compress,
                                .md5_names = s.md5,
                                .split_layout = s.split_layout,
                                .vtables = profile::has_vtables(profile, threads),
                                .notes = !s.drop_notes,
                                .threads = threads};
  if (s.quantize_bits) profile::quantize_counts(profile, static_cast<unsigned>(s.quantize_bits));
  destination.target.fit(options);
  if (std::ranges::count(s.given, "--gcov-version") > 0)
    options.gcov_version =
        s.gcov_version == 407 ? profile::gcov_version_407 : static_cast<u32>(s.gcov_version);
  // That version is for llvm-profdata and clang, which want the names as they are.
  bool for_gcc = format == Format::gcov && options.gcov_version != profile::gcov_version_407;
  if (for_gcc && !profile.flags.context_sensitive) destination.target.fit(profile);
  for (const auto& loss : profile::losses(profile, format, options))
    report::print(stderr, "pgokit merge: warning: {}\n", loss);
  if (auto names = profile::check_names(profile, format); !names)
    return std::unexpected(name_its_input(std::move(names).error(), inputs, format));
  // No tool takes an empty text for a profile.
  if (format == Format::text && profile.functions().empty())
    return fail("{}: no function is in {}: nothing is written", pipeline::names_of(inputs),
                inputs.size() > 1 ? "them" : "it");
  auto bytes = TRY(profile::write_profile(profile, format, options));
  auto output = TRY(OutputFile::create(s.output));
  output.write(bytes);
  TRY(output.commit());
  return bytes.size();
}

// Says of those that are no profile what they are.
void name_foreign(const std::vector<profile::MergeInput>& inputs, profile::MergedFiles& merged) {
  for (size_t i = 0; i < merged.inputs.size(); ++i) {
    if (merged.inputs[i].error.empty()) continue;
    auto file = MappedFile::open(inputs[i].path);
    if (!file) continue;
    if (auto what = pipeline::foreign_format(file->bytes()); !what.empty())
      merged.inputs[i].error = fmt::format("{}: {}", inputs[i].path, what);
  }
}

// How many inputs were left out.
size_t warn_of_inputs(const profile::MergedFiles& merged) {
  size_t broken = 0;
  for (const auto& input : merged.inputs) {
    if (input.error.empty()) continue;
    ++broken;
    report::print(stderr, "pgokit merge: warning: {}: left out\n", input.error);
  }
  if (merged.checksum_mismatches)
    report::print(stderr,
                  "pgokit merge: warning: {} of other versions (with smaller checksums) left out\n",
                  report::counted(merged.checksum_mismatches, "function"));
  return broken;
}

// A sampled and an exact profile of the same run differ a thousandfold. Those of a program and of
// its libraries do so rightly: they have hardly a function in common.
void tell_unlike_totals(const pipeline::Inputs& inputs, const profile::MergedFiles& merged) {
  constexpr u64 much = 100;
  std::optional<size_t> least, most;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].weight != 1) return;  // somebody has thought about it
    u64 samples = merged.inputs[i].samples;
    if (samples == 0) continue;
    if (!least || samples < merged.inputs[*least].samples) least = i;
    if (!most || samples > merged.inputs[*most].samples) most = i;
  }
  u64 times = least ? merged.inputs[*most].samples / merged.inputs[*least].samples : 0;
  if (times < much) return;
  size_t functions = 0;
  for (const auto& input : merged.inputs) functions += input.functions;
  size_t shared = functions - std::min(functions, merged.profile.functions().size());
  if (shared * 20 <= functions) return;
  report::print(stderr,
                "pgokit merge: note: {} has {} times the samples of {}, which hardly counts beside "
                "it: -w {} has both count alike\n",
                inputs[*most].path, report::grouped(times), inputs[*least].path,
                shell_word(fmt::format("{},{}", times, inputs[*least].path)));
}

// Of a profile that says what to inline, clang inlines that in its sample pass, and no other calls.
// False: all are alike in that.
bool tell_mixed_decisions(const pipeline::Inputs& inputs, const profile::MergedFiles& merged) {
  std::optional<size_t> with, without;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (merged.inputs[i].samples) (merged.inputs[i].pre_inlined ? with : without) = i;
  if (!with || !without) return false;
  report::print(stderr,
                "pgokit merge: note: {} says what to inline (generate --cs) and {} does not: clang "
                "will inline what the first says, of the other's calls as well: make both with "
                "--cs or both without\n",
                inputs[*with].path, inputs[*without].path);
  return true;
}

size_t duplicates_of(const profile::MergedFiles& merged) {
  return static_cast<size_t>(
      std::ranges::count_if(merged.inputs, &profile::MergedInput::duplicate));
}

report::Json json_of(const Settings& s, const profile::MergedFiles& merged, u64 written,
                     const report::Timings& timings) {
  using report::Json;
  Json left_out = Json::array(), json = Json::object();
  for (const auto& input : merged.inputs)
    if (!input.error.empty()) left_out.push(input.error);
  json.set("inputs", merged.inputs.size())
      .set("used", merged.used())
      .set("same_as_others", duplicates_of(merged))
      .set("left_out", std::move(left_out))
      .set("checksum_mismatches", merged.checksum_mismatches)
      .set("output", s.output)
      .set("functions", merged.profile.functions().size())
      .set("bytes", written);
  if (s.timings) json.set("timings", timings.json());
  return json;
}

void tell_outcome(const Settings& s, const profile::MergedFiles& merged, size_t broken, u64 written,
                  const report::Timings& timings) {
  if (s.json)
    return report::print(s.output == "-" ? stderr : stdout, "{}\n",
                         report::lines(json_of(s, merged, written, timings).text()));
  if (s.timings) report::print(stderr, "{}", report::lines(timings.text()));
  if (s.quiet) return;
  size_t duplicates = duplicates_of(merged);
  report::print(stderr, "merged {} of {}", report::grouped(merged.used()),
                report::counted(merged.inputs.size(), "input"));
  if (duplicates) report::print(stderr, ", {} the same as others", report::grouped(duplicates));
  if (broken) report::print(stderr, ", {} left out", report::grouped(broken));
  report::print(stderr, "\n");
  if (s.output != "-")
    report::print(stderr, "{}: {}, {}\n", s.output,
                  report::counted(merged.profile.functions().size(), "function"),
                  report::file_size(written));
}

Result<int> merge_instr_profiles(const Settings& s, const pipeline::Inputs& inputs) {
  constexpr std::string_view known[] = {"--output",      "--weighted-input", "--input-files",
                                        "--strict",      "--format",         "--function",
                                        "--no-function", "--threads",        "--quiet"};
  TRY(check_other_inputs(s, "instrumentation profiles of clang", known));
  bool has_format = std::ranges::count(s.given, "--format") > 0;
  return merge_instr(inputs, {.output = s.output,
                              .format = has_format ? s.format : "",
                              .function = s.function,
                              .no_function = s.no_function,
                              .strict = s.strict,
                              .quiet = s.quiet,
                              .threads = static_cast<unsigned>(s.threads)});
}

// Which inputs count how much, for people; and which no longer do.
void tell_ages(const std::vector<pipeline::InputAge>& ages) {
  constexpr size_t most = 8;
  size_t by_file = 0;
  for (size_t i = 0; i < ages.size(); ++i) {
    const auto& age = ages[i];
    by_file += age.by_file;
    if (i >= most && age.weight) continue;
    report::print(stderr, "{:<10}{:>5}  {}, of {}{}\n", i ? "" : "weights", age.weight, age.path,
                  age.date ? utc_text(age.date) : "no known date",
                  age.weight ? "" : ": too old, left out");
  }
  if (ages.size() > most)
    report::print(stderr, "          ... of {}\n", report::counted(ages.size(), "input"));
  if (by_file)
    report::print(stderr, "          {} no note of its date: that of the file was taken\n",
                  report::counted(by_file, "input has", "inputs have"));
}

Result<int> merge(Settings& s) {
  auto inputs = TRY(inputs_of(s));
  if (are_instr_profiles(inputs)) return merge_instr_profiles(s, inputs);
  auto destination = TRY(pipeline::profile_destination_of(s.consumer, s.format));
  auto format = *destination.output->format;
  TRY(check_settings(s, format));
  if (are_instrumented(inputs)) {
    constexpr std::string_view known[] = {"--output", "--weighted-input", "--input-files",
                                          "--strict", "--onto",           "--quiet"};
    TRY(check_other_inputs(s, "of instrumented programs", known));
    return merge_instrumented({"merge", inputs, s.output, s.onto, s.strict, s.quiet});
  }
  if (!s.onto.empty() && !inputs.empty())
    return usage_error("{}: --onto is for instrumented profiles", inputs[0].path);
  if (are_raw_counts(inputs)) {
    constexpr std::string_view known[] = {"--output", "--weighted-input", "--input-files",
                                          "--strict", "--quiet"};
    TRY(check_other_inputs(s, "raw counts", known));
    return merge_raw(inputs, {s.output, s.strict, s.quiet});
  }
  if (are_recordings(inputs)) {
    constexpr std::string_view known[] = {"--output", "--weighted-input", "--input-files",
                                          "--strict", "--quiet"};
    TRY(check_other_inputs(s, "recordings", known));
    return merge_recordings(inputs, {s.output, s.strict, s.quiet});
  }
  if (s.half_life) {
    auto ages = TRY(pipeline::weigh_by_age(inputs, s.half_life));
    s.divisor = multiply_saturated(s.divisor, profile::full_weight);
    if (!s.quiet) tell_ages(ages);
  }
  profile::MergeOptions options{.rule = profile::ChecksumRule::largest,
                                .strict = s.strict,
                                .distinct = s.distinct,
                                .rename = {},
                                .threads = static_cast<unsigned>(s.threads)};
  if (s.strip_suffixes) options.rename = canonical_function_name;
  report::Timings timings(s.timings);
  timings.begin("adding up");
  auto& merged = leak_until_exit(TRY(profile::merge_files(inputs, options)));
  name_foreign(inputs, merged);
  size_t broken = warn_of_inputs(merged);
  if (merged.used() == 0) return fail("no input can be used; nothing is written");
  if (!s.quiet && !tell_mixed_decisions(inputs, merged)) tell_unlike_totals(inputs, merged);
  Profile& profile = merged.profile;
  TRY(check_contexts(s, profile));
  timings.begin("changing the sum");
  convert(s, profile);
  TRY(filter(s, profile));
  profile.flags.partial |= s.partial;
  if (s.drop_symbols) profile.symbols = {};
  if (!s.symbols.empty()) TRY(pipeline::add_symbols(profile, s.symbols));
  timings.begin("writing the profile");
  u64 written = TRY(write(s, inputs, destination, profile));
  timings.end();
  tell_outcome(s, merged, broken, written, timings);
  return broken ? some_left_out : 0;
}

int run(std::span<char* const> arguments) {
  Settings settings;
  auto table = options_of(settings);
  table.given = &settings.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto code = merge(settings);
  return code ? *code : report_failure("merge", code.error());
}

}  // namespace

constexpr Command merge_command{"merge", "add up profiles, raw counts, recordings or dumps", run};

}  // namespace pgokit::cli
