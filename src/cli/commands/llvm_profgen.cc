// The options of llvm-profgen 22, so that pgokit can stand in its place.
#include "base/file.h"
#include "base/leak_until_exit.h"
#include "base/shell_word.h"
#include "cli/commands/commands.h"
#include "cli/llvm/llvm_options.h"
#include "cli/llvm/mapping_events.h"
#include "cli/llvm/profgen_context_options.h"
#include "cli/llvm/profgen_options.h"
#include "cli/llvm/profgen_warnings.h"
#include "cli/views/generation.h"
#include "pipeline/road.h"
#include "report/print.h"
#include "samples/counted_branches.h"

namespace pgokit::cli {
namespace {

Result<const pipeline::Output*> format_named(std::string_view name) {
  for (const auto* output :
       {&pipeline::outputs::extbinary, &pipeline::outputs::binary, &pipeline::outputs::text})
    if (name == output->name) return output;
  // The judge takes the name and then cannot write it either.
  if (name == "gcc") return fail("Profile encoding format unsupported for writing operations");
  return fail("for the --format option: Cannot find option named '{}'!", name);
}

// Which virtual tables were read, of the option's file; nothing without it.
Result<std::vector<samples::VtableAccess>> read_data_accesses(const pipeline::Road& road,
                                                              const std::string& path) {
  if (path.empty()) return std::vector<samples::VtableAccess>();
  const auto& input = road.input;
  if (road.program->has_probes() || input.contexts)
    return fail(
        "Symbolizing vtables from data access profiles is not yet supported for context-sensitive "
        "perf traces or when pseudo-probe based mapping is enabled.");
  auto file = MappedFile::open(path);
  if (!file) return fail("Failed to open perf trace file: {}", path);
  samples::DataAccessOptions how{.pid = road.options.read.pid};
  if (input.kind == &pipeline::inputs::script && input.mapped) how.base = input.script.base;
  return samples::read_vtable_accesses(as_text(file->bytes()), *road.program, how);
}

// Counts without samples are nothing to llvm-profgen, whose way is followed here.
Status check_counts(const pipeline::Road& road) {
  for (const auto& path : road.options.read.inputs) {
    auto file = TRY(MappedFile::open(path));
    auto recording = perf::Recording::open(file.bytes());
    if (recording && samples::has_branch_counts(*recording))
      return fail(
          "{}: its branches are counted, and no samples are in it: 'pgokit generate {} -b {}' "
          "makes a profile of counts",
          path, shell_word(path), shell_word(road.options.binary));
  }
  return {};
}

// Says between the passes what llvm-profgen says there.
class Sentences : public pipeline::Traveller {
 public:
  explicit Sentences(const ProfgenSettings& settings) : settings_(settings) {}

 private:
  Status opened(pipeline::Road& road) override {
    TRY(check_format(*road.program));
    warn_of_program(*road.program, settings_);
    if (settings_.show_mmap_events && settings_.sample_profile.empty())
      TRY(print_mapping_events(road.options.read));
    return {};
  }

  Status read(pipeline::Road& road) override {
    if (road.input.use.samples() == 0) TRY(check_counts(road));
    if (!settings_.quiet)
      for (const auto& note : road.input.notes) report::print(stderr, "{}\n", note);
    warn_of_input(*road.program, road.input, settings_);
    road.input.vtables = TRY(read_data_accesses(road, settings_.data_accesses));
    return {};
  }

  Status made(pipeline::Road& road) override {
    warn_of_density(settings_, road.generated.density);
    if (!settings_.quiet)
      for (const auto& loss : probe::losses(road.generated.probe_damage))
        report::print(stderr, "warning: {}\n", loss);
    bool extbinary = road.options.output == &pipeline::outputs::extbinary;
    if (settings_.symbol_list && extbinary)
      for (const auto& range : road.program->functions().ranges())
        road.generated.profile.symbols.intern(road.program->functions().name(range.function));
    if (settings_.use_md5 && !extbinary && !settings_.quiet)
      report::print(stderr,
                    "warning: -use-md5 is ignored. Specify --format=extbinary to enable it\n");
    return {};
  }

  const ProfgenSettings& settings_;
};

Status profgen(ProfgenSettings& settings) {
  auto& options = settings.road;
  TRY(choose_input(settings));
  if (settings.show_disassembly) {
    settings.listing.functions = parted_by_commas(settings.disassemble_functions);
    return print_llvm_listing(options.binary, options.program, settings.listing);
  }
  TRY(check_context_options(options.finish));
  options.output = TRY(format_named(settings.format));
  options.write.md5_names = settings.use_md5 && options.output == &pipeline::outputs::extbinary;
  options.write.contexts_apart = !settings.contextless_summary;
  if (settings.skip_symbolization) options.output = &pipeline::outputs::raw_counts;
  options.program.extensions = isa::Extensions::none;  // as that tool
  options.program.as_of_llvm = true;
  auto& road = leak_until_exit(pipeline::Road(options));
  Sentences sentences(settings);
  TRY(road.run(sentences));
  // What the user may ask about the run.
  if (settings.stats) print_stats(road);
  if (auto* timings = options.read.timings) {
    timings->end();
    report::print(stderr, "{}", report::lines(timings->text()));
  }
  return {};
}

int run(std::span<char* const> arguments) {
  report::keep_bytes_in_pipes();
  ProfgenSettings settings;
  auto table = profgen_options(settings);
  if (auto exit = parse_llvm_options(table, arguments)) return *exit;
  report::Timings timings(settings.timings);
  auto& options = settings.road;
  options.read.timings = settings.timings ? &timings : nullptr;
  options.read.threads = options.write.threads = static_cast<unsigned>(settings.threads);
  options.read.progress = !settings.quiet;
  options.read.by_context = !settings.ignore_stack_samples;
  options.read.keep_wrong_path = true;
  options.read.llvm_profgen = true;
  auto status = profgen(settings);
  if (status) return 0;
  report::print(stderr, "llvm-profgen: error: {}\n", status.error().message);
  return 1;
}

}  // namespace

constexpr Command llvm_profgen_command{"llvm-profgen",
                                       "make a profile with the options of llvm-profgen", run};

}  // namespace pgokit::cli
