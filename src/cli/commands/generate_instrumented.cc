#include "cli/commands/generate_instrumented.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/file.h"
#include "cli/views/generation.h"
#include "generate/instrumented.h"
#include "instrument/dump.h"
#include "instrument/merge.h"
#include "instrument/profile_file.h"
#include "pipeline/input_checks.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::grouped;

constexpr u32 call_kinds = MIP_CALLS32 | MIP_CALLS64;

Result<instrument::Profile> read_all(const std::vector<std::string>& inputs) {
  instrument::Merger merger;
  for (const auto& path : inputs) {
    auto file = TRY(MappedFile::open(path));
    if (instrument::DumpReader::recognizes(file.bytes()))
      return fail("{}: a dump, whose map is needed: pgokit merge PROGRAM.map {} -o app.mip", path,
                  path);
    merger.add_profile(TRY_IN(path, instrument::read_profile(file.bytes())), 1);
  }
  return merger.finish();
}

Result<const instrument::Module*> module_of(const instrument::Profile& profile,
                                            const program::Program& program, bool any_build) {
  auto id = as_text(program.file().build_id());
  std::string others;
  const instrument::Module* only = nullptr;
  u64 maps = 0;
  for (const auto& module : profile.modules) {
    if (!module.has_map()) continue;
    if (!id.empty() && module.build_id == id) return &module;
    others +=
        fmt::format("{}{} (build id {})", others.empty() ? "" : ", ", display_name(module),
                    module.build_id.empty() ? "not known" : object::hex(as_bytes(module.build_id)));
    only = &module;
    ++maps;
  }
  bool unknown = maps == 1 && (id.empty() || only->build_id.empty());
  if (maps == 1 && (unknown || any_build)) return only;
  return fail("it is not of {}: it holds {}", program.path(), others);
}

enum class Detail { blocks, targets, calls, coverage };

Detail detail_of(const instrument::Module& module) {
  u32 kinds = module.all_kinds();
  if (kinds & MIP_BLOCKS64) return Detail::blocks;
  if (kinds & MIP_TARGETS) return Detail::targets;
  return kinds & call_kinds ? Detail::calls : Detail::coverage;
}

Result<pipeline::Generated> make(const instrument::Profile& profile,
                                 const instrument::Module& module, const program::Program& program,
                                 pipeline::ReadInput& input, pipeline::GenerationOptions options) {
  options.flat.only_counted = detail_of(module) == Detail::targets;
  switch (detail_of(module)) {
    case Detail::blocks:
    case Detail::targets:
      input.counts = generate::instrumented_counts(profile, module, program);
      return pipeline::generate_profile(program, input, options);
    case Detail::calls:
      return pipeline::finish_profile(program, TRY(generate::entry_profile(module, program)),
                                      options);
    case Detail::coverage:
      break;
  }
  return pipeline::finish_profile(program, generate::coverage_profile(), options);
}

Result<pipeline::Generated> generate(const instrument::Profile& profile,
                                     const instrument::Module& module,
                                     const program::Program& program,
                                     const pipeline::GenerationOptions& options) {
  pipeline::ReadInput input;
  input.kind = pipeline::InputKind::raw;
  input.distinct_ranges = 1;
  TRY(check_input(program, input, options));
  auto generated = TRY(make(profile, module, program, input, options));
  TRY(check_generated(program, input, generated, options));
  auto inlined = program.debug() ? instrument::inlined_where_it_ran(module, *program.debug())
                                 : instrument::InlinedNames{};
  generate::list_never_ran(module, inlined, generated.profile);
  return generated;
}

void report(const InstrumentedGeneration& generation, const instrument::Module& module,
            const pipeline::Generated& generated, u64 bytes) {
  const char* details[] = {"block counts", "targets of indirect calls", "call counts",
                           "functions that ran"};
  const char* detail = details[static_cast<int>(detail_of(module))];
  u64 functions = detail_of(module) == Detail::coverage ? 0 : generated.profile.functions().size();
  if (generation.json) {
    report::print("{}\n", report::lines(report::Json::object()
                                            .set("profile", generation.output)
                                            .set("bytes", bytes)
                                            .set("made_of", detail)
                                            .set("dumps", module.data.dumps)
                                            .set("functions", functions)
                                            .set("never_ran", generated.profile.symbols.size())
                                            .text()));
    return;
  }
  report::print(stderr, "counted   exact {} of {} of {}\n", detail,
                report::counted(module.data.dumps, "dump"), display_name(module));
  if (module.all_kinds() & module.kinds_of_runs())
    report::print(stderr, "never ran {}, on the symbol list: clang takes them for cold\n",
                  report::counted(generated.profile.symbols.size(), "function"));
  report::print(stderr, "profile   {}: {}, {}\n", generation.output,
                report::counted(functions, "function"), report::file_size(bytes));
}

}  // namespace

bool is_instrumented_profile(const std::vector<std::string>& inputs) {
  if (inputs.empty()) return false;
  auto file = MappedFile::open(inputs.front());
  return file && (instrument::is_profile(file->bytes()) ||
                  instrument::DumpReader::recognizes(file->bytes()));
}

Status generate_instrumented(const InstrumentedGeneration& generation) {
  auto& options = generation.options;
  const auto& path = options.inputs.front();
  auto profile = TRY(read_all(options.inputs));
  if (options.binary.empty())
    return usage_error("-b is needed: which of the programs in {} the profile is to be of", path);
  auto program = TRY(program::Program::open(options.binary, options.program));
  const auto* module = TRY_IN(path, module_of(profile, program, options.ignore_build_id));
  if (module->data.dumps == 0)
    return fail("{}: no dump of {} has been merged into it", path, display_name(*module));
  Detail detail = detail_of(*module);
  if (detail == Detail::coverage && generation.format != profile::Format::extbinary)
    return usage_error("{} says which functions ran, which only --format extbinary can hold", path);
  auto output_path =
      generation.output.empty() ? std::string(program.name()) + ".prof" : generation.output;
  auto output = TRY(OutputFile::create(output_path));
  TRY(program.load_functions(options.threads));
  TRY(check_package(program));
  auto generated = TRY(generate(profile, *module, program, options));
  auto bytes = TRY(write_profile(generated.profile, generation.format, generation.write));
  output.write(bytes);
  TRY(output.commit());
  if (generation.json || !generation.quiet) {
    InstrumentedGeneration told = generation;
    told.output = output_path;
    report(told, *module, generated, bytes.size());
  }
  return {};
}

}  // namespace pgokit::cli
