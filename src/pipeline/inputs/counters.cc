// Counters of instrumented programs: exact counts.

#include "pipeline/counters.h"

#include "base/cursor.h"
#include "generate/instrumented.h"
#include "instrument/dump.h"
#include "instrument/map.h"
#include "instrument/profile_file.h"
#include "object/file.h"
#include "pipeline/read_input.h"

namespace pgokit::pipeline {
namespace {

using Detail = Counters::Detail;

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

Detail detail_of(const instrument::Module& module) {
  constexpr u32 call_kinds = MIP_CALLS32 | MIP_CALLS64;
  u32 kinds = module.all_kinds();
  if (kinds & MIP_BLOCKS64) return Detail::blocks;
  if (kinds & MIP_TARGETS) return Detail::targets;
  return kinds & call_kinds ? Detail::calls : Detail::coverage;
}

Status read(const Source& source, ReadInput& into) {
  if (!into.counters) into.counters = std::make_unique<Counters>();
  into.counters->merger.add_profile(TRY(instrument::read_profile(source.bytes)), 1);
  return {};
}

Status finish(const program::Program& program, const ReadOptions& options, ReadInput& input) {
  auto& counters = *input.counters;
  const auto& path = options.inputs.front();
  counters.profile = counters.merger.finish();
  counters.module = TRY_IN(path, module_of(counters.profile, program, options.ignore_build_id));
  const auto& module = *counters.module;
  if (module.data.dumps == 0)
    return fail("{}: no dump of {} has been merged into it", path, display_name(module));
  counters.detail = detail_of(module);
  switch (counters.detail) {
    case Detail::blocks:
    case Detail::targets:
      input.counts = generate::instrumented_counts(counters.profile, module, program);
      break;
    case Detail::calls:
      input.profile = TRY(generate::entry_profile(module, program));
      break;
    case Detail::coverage:
      input.profile = generate::coverage_profile();
      break;
  }
  return {};
}

// A map in a section of its own, or in the program.
bool is_map(Bytes bytes) {
  if (instrument::looks_like_map_section(bytes)) return true;
  if (!inputs::program.sniff(bytes)) return false;
  auto file = object::File::parse(bytes);
  return file && instrument::has_map(*file);
}

}  // namespace

void list_never_ran(const program::Program& program, const Counters& counters,
                    profile::Profile& profile) {
  auto inlined = program.debug()
                     ? instrument::inlined_where_it_ran(*counters.module, *program.debug())
                     : instrument::InlinedRuns{};
  generate::list_never_ran(*counters.module, inlined, profile);
}

const Input inputs::counters{
    .name = "a profile of an instrumented program",
    .sniff = instrument::is_profile,
    .read = read,
    .finish = finish,
};

const Input inputs::counter_map{
    .name = "an instrumented program or its map",
    .sniff = is_map,
    .refusal =
        "an instrumented program or its map, which has no counts ('pgokit merge' adds dumps)",
};

const Input inputs::counter_dumps{
    .name = "dumps of an instrumented program",
    .sniff = instrument::DumpReader::recognizes,
    .refusal = "a dump, whose map is needed: pgokit merge PROGRAM.map DUMP -o app.mip",
};

}  // namespace pgokit::pipeline
