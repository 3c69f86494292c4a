#include "cli/llvm/profdata_merge_instr.h"

#include <algorithm>
#include <array>

#include "base/file.h"
#include "cli/function_filter.h"
#include "cli/llvm/symbol_remapping.h"
#include "instr_profile/correlate/correlate.h"
#include "instr_profile/indexed/write_indexed.h"
#include "instr_profile/merge/merge_files.h"
#include "instr_profile/text/write_text.h"
#include "pipeline/inputs.h"
#include "profile/table/columns.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using instr_profile::Mismatch;
using instr_profile::Profile;

struct MismatchText {
  std::string_view text;
  bool hint;  // is there one
};
constexpr MismatchText mismatch_texts[] = {
    {"function basic block count change detected (counter mismatch)", true},
    {"function bitmap size change detected (bitmap size mismatch)", false},
    {"function value site count change detected (counter mismatch)", true},
    {"counter overflow", false}};

// The hint stands once behind each kind of message.
class MismatchPrinter {
 public:
  void print(const std::string& path, Mismatch what, std::string_view function) {
    auto i = static_cast<size_t>(what);
    report::print(stderr, "{}: {}: {}\n", path, function, mismatch_texts[i].text);
    if (mismatch_texts[i].hint && !hinted_[i])
      report::print(stderr,
                    "Make sure that all profile data to be merged is generated from the same "
                    "binary.\n");
    hinted_[i] = true;
  }

 private:
  std::array<bool, std::size(mismatch_texts)> hinted_{};
};

// Scripts that leave --sample out get a hint.
bool is_sample_profile(const std::string& path) {
  auto file = MappedFile::open(path);
  return file && pipeline::identify(file->bytes()) == &pipeline::inputs::sample_profile;
}

Status check_failures(const pipeline::Inputs& inputs, const instr_profile::MergedFiles& merged,
                      const MergeInstr& options) {
  for (size_t i = 0; i < merged.inputs.size(); ++i)
    if (const auto& note = merged.inputs[i].note; !note.empty())
      report::print(stderr, "warning: {}: {}\n", inputs[i].path, note);
  size_t failures = 0;
  for (size_t i = 0; i < merged.inputs.size(); ++i)
    for (const auto* text : {&merged.inputs[i].error, &merged.inputs[i].warning}) {
      if (text->empty()) continue;
      report::print(stderr, "warning: {}\n", *text);
      if (++failures == 1 && is_sample_profile(inputs[i].path))
        report::print(stderr, "note: it is a sample profile, which --sample merges\n");
    }
  bool all = failures == merged.inputs.size() && options.failure_mode == "all";
  bool any = failures > 0 && options.failure_mode == "any";
  if (all || any) return fail("no profile can be merged");
  return {};
}

Status filter(const MergeInstr& options, Profile& profile) {
  if (options.function.empty() && options.no_function.empty()) return {};
  auto wanted = TRY(FunctionFilter::compile(options.function));
  auto unwanted = TRY(FunctionFilter::compile(options.no_function));
  auto kept = profile.keep_names([&](std::string_view name) {
    std::string text(name);
    return !(unwanted.is_set() && unwanted.matches(text)) && wanted.matches(text);
  });
  report::print(stderr, "{} of {} functions in the original profile are filtered.\n",
                kept.before - kept.after, kept.before);
  return {};
}

// Sizes of memory operations are different at a site, unless an input was damaged.
void warn_of_repeated_sizes(const Profile& profile) {
  for (const auto& values : profile.values) {
    bool repeats = false;
    values.each_site(
        [&](instr_profile::ValueKind kind, std::span<const instr_profile::ValueCount> site) {
          if (kind != instr_profile::ValueKind::memop_size) return;
          std::vector<u64> sizes;
          for (const auto& value : site) sizes.push_back(value.value);
          std::ranges::sort(sizes);
          repeats |= std::ranges::adjacent_find(sizes) != sizes.end();
        });
    if (!repeats) continue;
    report::print(stderr,
                  "warning: invalid profile created: a site has the same size of a memory "
                  "operation twice, as in an input\n");
    return;
  }
}

// The program of raw files without functions.
struct CorrelatedProgram {
  MappedFile file;
  object::File elf;
  instr_profile::Correlation correlation;
};

Result<CorrelatedProgram> correlate(const MergeInstr& options) {
  bool by_debug_info = !options.debug_info.empty();
  const auto& path = by_debug_info ? options.debug_info : options.binary_file;
  auto file = TRY(MappedFile::open(path));
  auto elf = TRY_IN(path, object::File::parse(file.bytes()));
  instr_profile::CorrelationWarnings warnings{.most = options.correlation_warnings};
  auto correlation = by_debug_info ? instr_profile::correlate_by_debug_info(elf, warnings)
                                   : instr_profile::correlate_by_sections(elf, warnings);
  for (const auto& text : warnings.texts) report::print(stderr, "warning: {}\n", text);
  if (warnings.suppressed)
    report::print(stderr, "warning: Suppressed {} additional warnings\n", warnings.suppressed);
  if (!correlation) return std::unexpected(std::move(correlation).error().in(path));
  return CorrelatedProgram{std::move(file), std::move(elf), *std::move(correlation)};
}

Status check_supplement(const pipeline::Inputs& inputs, const MergeInstr& options) {
  if (options.output == "-") return fail("cannot write indexed profdata format to stdout");
  if (inputs.size() != 1) return fail("expect one input to be an instr profile");
  if (inputs[0].weight != 1) return fail("expect instr profile doesn't have weight");
  return {};
}

Status supplement(const MergeInstr& options, Profile& profile) {
  const auto& path = options.supplement;
  auto file = TRY(MappedFile::open(path));
  auto samples = TRY_IN(path, profile::read_profile(file.bytes()));
  auto summary = TRY_IN(path, profile::read_columns(file.bytes())).summary;
  for (const auto& name :
       transform::supplement(profile, {samples.profile, summary}, options.supplementing))
    report::print(stderr,
                  "warning: Static function {} has multiple promoted names, cannot adjust "
                  "profile.\n",
                  name);
  return {};
}

}  // namespace

Status merge_instr_as_llvm(const pipeline::Inputs& inputs, const MergeInstr& options) {
  if (!options.supplement.empty()) TRY(check_supplement(inputs, options));
  std::vector<instr_profile::MergeInput> files;
  for (const auto& input : inputs) files.push_back({input.path, input.weight});
  MismatchPrinter printer;
  instr_profile::MergeOptions how{
      .rules = instr_profile::Rules::llvm,
      .traces = {.most_traces = options.most_traces, .longest = options.longest_trace},
      // In its indexed files that would be functions that crash all readers.
      .as_llvm = options.text,
      .threads = static_cast<unsigned>(options.threads),
      .mismatch = [&](const instr_profile::MergeInput& input, Mismatch what,
                      std::string_view function) { printer.print(input.path, what, function); }};
  auto remapping = TRY(SymbolRemapping::read_if_given(options.remapping));
  if (remapping) how.rename = std::cref(*remapping);
  std::optional<CorrelatedProgram> program;
  how.memory_program = options.memory_program;
  how.memory_form = options.memory_form;
  if (!options.debug_info.empty() || !options.binary_file.empty()) {
    program.emplace(TRY(correlate(options)));
    how.correlation = &program->correlation;
  }
  auto merged = TRY(instr_profile::merge_files(files, how));
  TRY(check_failures(inputs, merged, options));
  TRY(filter(options, merged.profile));
  if (!options.supplement.empty()) TRY(supplement(options, merged.profile));
  auto output = TRY(OutputFile::create(options.output));
  auto take = [&](std::string_view piece) { output.write(piece); };
  if (options.text)
    instr_profile::write_text(merged.profile, options.sparse, take);
  else
    instr_profile::write_indexed(merged.profile, options.sparse, take);
  TRY(output.commit());
  warn_of_repeated_sizes(merged.profile);
  if (options.text && !merged.profile.memory.is_empty)
    report::print(stderr, "warning: text has no memory profile: it is left out\n");
  return {};
}

}  // namespace pgokit::cli
