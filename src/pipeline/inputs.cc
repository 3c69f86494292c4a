#include "pipeline/inputs.h"

#include <algorithm>

#include "base/cursor.h"
#include "object/file.h"
#include "perf/script.h"
#include "pipeline/foreign_formats.h"

namespace pgokit::pipeline {
namespace {

// The first whose sniff() agrees is it: what has a magic number first, then what is guessed.
const Input* const table[] = {&inputs::recording,    &inputs::counters,   &inputs::counter_dumps,
                              &inputs::counter_map,  &inputs::program,    &inputs::instr_profile,
                              &inputs::autofdo_text, &inputs::raw_counts, &inputs::sample_profile,
                              &inputs::script,       &inputs::ip_script};

}  // namespace

namespace inputs {

const Input program{
    .name = "a program",
    .sniff = [](Bytes bytes) { return object::File::recognizes(bytes); },
    .refusal = "a program, not a recording (name the program with -b)",
};

}  // namespace inputs

const Input* identify(Bytes bytes) {
  const auto* found =
      std::ranges::find_if(table, [&](const Input* input) { return input->sniff(bytes); });
  return found == std::end(table) ? nullptr : *found;
}

Result<const Input*> identify_counts(Bytes bytes, bool allow_ip) {
  if (bytes.empty()) return fail("it is empty");
  const Input* input = identify(bytes);
  bool takes = input && (input->refusal.empty() || (input == &inputs::ip_script && allow_ip));
  if (takes) return input;
  if (input) return fail("{}", input->refusal);
  if (auto what = foreign_format(bytes); !what.empty()) return fail("{}", what);
  return fail("{}", perf::script_problem(as_text(bytes)));
}

bool is_recording(const Input* kind) { return kind && kind->of_samples; }

bool is_of_counters(const Input* kind) {
  return kind == &inputs::counters || kind == &inputs::counter_map ||
         kind == &inputs::counter_dumps;
}

Status refuse_other_than_profile(const std::string& path, Bytes bytes) {
  if (bytes.empty()) return fail("{}: it is empty", path);
  const Input* kind = identify(bytes);
  if (kind == &inputs::sample_profile) return {};
  if (kind == &inputs::instr_profile)
    return fail("{}: {}, not a sample profile: 'pgokit merge', 'show' and 'compare' take it", path,
                kind->name);
  if (kind)
    return fail("{}: {}, not a profile{}", path, kind->name,
                kind->read ? " ('pgokit generate' makes one of it)" : "");
  if (auto what = foreign_format(bytes); !what.empty()) return fail("{}: {}", path, what);
  return {};
}

}  // namespace pgokit::pipeline
