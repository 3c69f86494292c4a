#pragma once

// pgokit show for recordings: what perf.data or the text of perf script holds.

#include "base/result.h"
#include "base/types.h"

namespace pgokit::cli {

// `top`: of so many programs; 0: all.
Status show_recording(std::string_view path, Bytes file, bool json, u64 top);

// The text of perf script.
Status show_script(std::string_view path, Bytes file, bool json);

}  // namespace pgokit::cli
