// Counters of instrumented programs: exact counts.

#include "pipeline/counters.h"

#include "base/cursor.h"
#include "base/file.h"
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
  return fail("{} is not the program of it: it holds {}: give {} with -b{}", program.path(), others,
              maps == 1 ? "that" : "one of them", maps == 1 ? ", or --ignore-build-id" : "");
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
    return fail(
        "{0}: no dump of {1} has been merged into it: run {1}, then 'pgokit merge {0} DUMPS -o "
        "app.mip'",
        path, display_name(module));
  counters.detail = detail_of(module);
  switch (counters.detail) {
    case Detail::blocks:
    case Detail::targets: {
      auto counted = generate::instrumented_counts(counters.profile, module, program);
      input.counts = std::move(counted.counts);
      counters.calls = counted.calls;
      counters.calls_without_target = counted.calls_without_target;
      break;
    }
    case Detail::calls:
      input.profile = TRY(generate::entry_profile(module, program));
      break;
    case Detail::coverage:
      input.profile = generate::coverage_profile();
      break;
  }
  return {};
}

// Dumps are added when all have been seen: of one process the last one counts.
Status read_dumps(const Source& source, ReadInput& into) {
  if (!into.counters) into.counters = std::make_unique<Counters>();
  auto& counters = *into.counters;
  auto facts = counters.merger.see_dumps(static_cast<u32>(counters.dumps.size()), source.bytes, 1);
  if (facts.records == 0) return fail("no dump in it can be read: {}", facts.first_damage);
  if (facts.damaged && into.cut_short.empty())
    into.cut_short = fmt::format("{}: {} of its records damaged; the first at {}", source.path,
                                 facts.damaged, facts.first_damage);
  counters.dumps.push_back(source.path);
  return {};
}

Status finish_dumps(const program::Program& program, const ReadOptions& options, ReadInput& input) {
  auto& counters = *input.counters;
  if (!instrument::has_map(program.file()))
    return fail(
        "{}: a dump, whose map is needed, and {} has none: pgokit merge PROGRAM.map DUMP -o "
        "app.mip",
        options.inputs.front(), program.path());
  auto map = TRY_IN(program.path(), instrument::read_map(program.path(), program.file()));
  counters.merger.add_map(std::move(map.module));
  for (u32 number = 0; number < counters.dumps.size(); ++number) {
    auto file = TRY(MappedFile::open(counters.dumps[number]));
    counters.merger.add_dumps(number, file.bytes());
  }
  const auto& facts = counters.merger.facts();
  if (facts.dumps == 0)
    return fail("{}: no dump of {} is in it{}", options.inputs.front(), program.path(),
                facts.without_map ? ", but of " + facts.first_without_map : "");
  return finish(program, options, input);
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
    .read = read_dumps,
    .finish = finish_dumps,
};

}  // namespace pgokit::pipeline
