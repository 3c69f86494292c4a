#pragma once

// Where a profile comes from, as its file will say: a note for each input that it is made of.
//
//   road.generated.profile.notes = notes_of(road, date);
//
// The name of the machine is not in them: profiles travel further than recordings.

#include <optional>

#include "perf/recording.h"
#include "pipeline/road.h"
#include "profile/model/notes.h"

namespace pgokit::pipeline {

// What a recording says itself.
profile::Note origin_of(const perf::Recording& recording);

// All that ran was counted, not samples of it.
bool is_of_whole_run(const profile::Note& note);

// `date`: of all inputs, in seconds since 1970; none: when each file was last written.
profile::Notes notes_of(const Road& road, std::optional<u64> date);

}  // namespace pgokit::pipeline
