#include "pipeline/provenance.h"

#include <fmt/ranges.h>

#include "base/version.h"
#include "pipeline/input_dates.h"

namespace pgokit::pipeline {
namespace {

// What notes say of how something was recorded.
constexpr std::string_view of_counters = "counters of an instrumented program";
constexpr std::string_view of_whole_run = "whole run",
                           of_part_of_run = "part of a run, all counted";

std::string kind_of(const ReadInput& input) {
  if (input.counters) return std::string(of_counters);
  if (input.all_counted) return std::string(input.part_of_run ? of_part_of_run : of_whole_run);
  if (input.windows.number) return "windows";
  if (input.ip_only) return "samples without branch stacks";
  return input.use.samples() ? "branch stacks" : std::string(input.kind->name);
}

}  // namespace

bool is_of_whole_run(const profile::Note& note) {
  return note.kind == of_counters || note.kind == of_whole_run;
}

profile::Note origin_of(const perf::Recording& recording) {
  const auto& features = recording.features();
  profile::Note note;
  note.command = fmt::format("{}", fmt::join(features.cmdline, " "));
  for (auto text : {features.arch, features.osrelease, features.cpudesc})
    if (!text.empty()) note.machine += fmt::format("{}{}", note.machine.empty() ? "" : ", ", text);
  if (!features.version.empty())
    note.recorder = features.version.starts_with("pgokit ")
                        ? std::string(features.version)
                        : fmt::format("perf {}", features.version);
  return note;
}

profile::Notes notes_of(const Road& road, std::optional<u64> date) {
  profile::Notes notes;
  const auto& inputs = road.options.read.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto note = i < road.input.origins.size() ? road.input.origins[i] : profile::Note();
    note.date = date ? *date : file_date(inputs[i]).value_or(0);
    note.program = road.program->name();
    note.build_id = object::hex(road.program->file().build_id());
    note.kind = kind_of(road.input);
    note.made_by = fmt::format("pgokit {}", version);
    if (inputs.size() == 1) note.samples = road.generated.summary.total;
    notes.add(std::move(note));
  }
  return notes;
}

}  // namespace pgokit::pipeline
