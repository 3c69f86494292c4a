#pragma once

// The names of functions that were called in libraries which were not instrumented, so that no map
// names them: as the library's symbols do, or those of its debug file, where the distribution puts
// them.
//
//   pipeline::name_libraries(profile, {"libx.so"}, "app.mip");
//   instrument::value_name(profile, value);                    // "malloc in libc.so.6"
//
// Only files of the very build are taken, so that a name is right or is not given.

#include <string>
#include <vector>

#include "instrument/module.h"

namespace pgokit::pipeline {

// `given`: files of the user's, of whichever build. `profile_path`: libraries may lie beside it.
void name_libraries(instrument::Profile& profile, const std::vector<std::string>& given,
                    const std::string& profile_path);

}  // namespace pgokit::pipeline
