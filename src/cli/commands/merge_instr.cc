#include "cli/commands/merge_instr.h"

#include <array>

#include "base/file.h"
#include "cli/function_filter.h"
#include "instr_profile/indexed/write_indexed.h"
#include "instr_profile/merge/merge_files.h"
#include "instr_profile/text/write_text.h"
#include "pipeline/inputs.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using instr_profile::Mismatch;

Result<bool> wants_text(const MergeInstr& options) {
  if (options.format == "text") return true;
  if (options.format == "indexed") return false;
  if (!options.format.empty())
    return usage_error("--format {}: of instrumentation profiles indexed and text are written",
                       options.format);
  return options.output.ends_with(".proftext") || options.output.ends_with(".txt");
}

// Of inputs that are something else; what is nothing at all is left out like other broken ones.
Status refuse_mixtures(const pipeline::Inputs& inputs) {
  for (const auto& input : inputs) {
    auto file = MappedFile::open(input.path);
    const auto* kind = file ? pipeline::identify(file->bytes()) : nullptr;
    if (kind && kind != &pipeline::inputs::instr_profile)
      return fail(
          "{}: {}, and others of the inputs are instrumentation profiles of clang: merge "
          "each kind by itself",
          input.path, kind->name);
  }
  return {};
}

struct Counted {
  std::array<size_t, 4> by_mismatch{};
  size_t of(Mismatch what) const { return by_mismatch[static_cast<size_t>(what)]; }
};

Result<size_t> warn_of_inputs(const instr_profile::MergedFiles& merged, const MergeInstr& options,
                              const Counted& counted) {
  size_t left_out = 0;
  for (const auto& input : merged.inputs) {
    if (input.other_kind) return fail("{}", input.error);
    if (!input.warning.empty()) report::print(stderr, "pgokit merge: warning: {}\n", input.warning);
    if (input.error.empty()) continue;
    if (options.strict) return fail("{}", input.error);
    report::print(stderr, "pgokit merge: warning: {}: left out\n", input.error);
    ++left_out;
  }
  if (size_t n = counted.of(Mismatch::counters))
    report::print(stderr,
                  "pgokit merge: warning: {} of other versions (with fewer counters) left out\n",
                  report::counted(n, "function"));
  if (size_t n = counted.of(Mismatch::overflow))
    report::print(stderr, "pgokit merge: warning: {} with counts that reached the largest number\n",
                  report::counted(n, "function"));
  return left_out;
}

Status filter(const MergeInstr& options, instr_profile::Profile& profile) {
  auto wanted = TRY(FunctionFilter::compile(options.function));
  auto unwanted = TRY(FunctionFilter::compile(options.no_function));
  if (!wanted.is_set() && !unwanted.is_set()) return {};
  auto kept = profile.keep_names([&](std::string_view name) {
    std::string text(name);
    return !(unwanted.is_set() && unwanted.matches(text)) &&
           (!wanted.is_set() || wanted.matches(text));
  });
  if (kept.before && kept.after == 0)
    return fail("--{}function leaves none of {}: nothing is written", wanted.is_set() ? "" : "no-",
                report::counted(kept.before, "function"));
  return {};
}

Result<u64> write(const MergeInstr& options, const instr_profile::Profile& profile, bool text) {
  auto output = TRY(OutputFile::create(options.output));
  auto take = [&](std::string_view piece) { output.write(piece); };
  if (text)
    instr_profile::write_text(profile, false, take);
  else
    instr_profile::write_indexed(profile, false, take);
  u64 size = output.size();
  TRY(output.commit());
  return size;
}

}  // namespace

bool are_instr_profiles(const pipeline::Inputs& inputs) {
  for (const auto& input : inputs) {
    auto file = MappedFile::open(input.path);
    if (file && pipeline::identify(file->bytes()) == &pipeline::inputs::instr_profile) return true;
  }
  return false;
}

Result<int> merge_instr(const pipeline::Inputs& inputs, const MergeInstr& options) {
  bool text = TRY(wants_text(options));
  TRY(refuse_mixtures(inputs));
  std::vector<instr_profile::MergeInput> files;
  for (const auto& input : inputs) files.push_back({input.path, input.weight});
  Counted counted;
  instr_profile::MergeOptions how{
      .rules = instr_profile::Rules::commutative,
      .threads = options.threads,
      .mismatch = [&](const instr_profile::MergeInput&, Mismatch what, std::string_view) {
        ++counted.by_mismatch[static_cast<size_t>(what)];
      }};
  auto merged = TRY(instr_profile::merge_files(files, how));
  size_t left_out = TRY(warn_of_inputs(merged, options, counted));
  if (merged.used() == 0) return fail("no input can be used; nothing is written");
  if (merged.profile.functions.empty() && merged.profile.memory.is_empty)
    return fail(
        "no input has a function; of a program that was built with -profile-correlate they are in "
        "the program: 'pgokit llvm-profdata merge' takes it by --debug-info or --binary-file");
  TRY(filter(options, merged.profile));
  u64 written = TRY(write(options, merged.profile, text));
  if (text && !merged.profile.memory.is_empty)
    report::print(stderr, "pgokit merge: warning: text has no memory profile: it is left out\n");
  if (!options.quiet) {
    size_t empty = inputs.size() - merged.used() - left_out;
    report::print(stderr, "merged {} of {}{}{}\n", report::grouped(merged.used()),
                  report::counted(inputs.size(), "input"),
                  left_out ? ", " + report::grouped(left_out) + " left out" : "",
                  empty ? ", " + report::grouped(empty) + " empty" : "");
    if (options.output != "-")
      report::print(stderr, "{}: {}, {}\n", options.output,
                    report::counted(merged.profile.functions.size(), "function"),
                    report::file_size(written));
  }
  return left_out ? 3 : 0;
}

}  // namespace pgokit::cli
