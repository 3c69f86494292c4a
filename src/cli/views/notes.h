#pragma once

// Where a profile comes from, as `pgokit show` tells it.

#include "profile/model/notes.h"
#include "report/json.h"

namespace pgokit::cli {

// Lines for each of the newest notes, and how many recordings there are before; nothing where there
// are none.
std::string notes_text(const profile::Notes& notes, size_t most);
// Adds "notes" and "older_notes".
void add_notes(report::Json& json, const profile::Notes& notes);

}  // namespace pgokit::cli
