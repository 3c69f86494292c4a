#pragma once

// What a program was built of, as it was then, so that a command that goes on notices what has been
// edited since.
//
//   TRY(note_sources(work, "plain"));                    // after the build of that name
//   auto edited = TRY(edited_source(work));              // "src/app.c"; empty: none
//
// Sources are those that the wrapper compiled, and all files under the current folder with the
// endings of sources. A file that is gone is not edited: a clean build removes what it generates.

#include <string>

#include "base/result.h"
#include "optimize/work_folder.h"

namespace pgokit::optimize {

Status note_sources(const WorkFolder& work, const std::string& build);
Result<std::string> edited_source(const WorkFolder& work);

}  // namespace pgokit::optimize
