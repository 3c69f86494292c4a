#pragma once

// pgokit show for recordings: what perf.data or the text of perf script holds.

#include "base/result.h"
#include "base/types.h"
#include "cli/views/memory.h"

namespace pgokit::cli {

// `memory`: of its data addresses; `top` of that is for programs too.
Status show_recording(std::string_view path, Bytes file, bool json, const ShowMemory& memory);

// The text of perf script.
Status show_script(std::string_view path, Bytes file, bool json);

}  // namespace pgokit::cli
