#pragma once

// pgokit show for counts without names, raw or AutoFDO's.

#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::cli {

Status show_raw_counts(std::string_view path, Bytes file, bool json);

}  // namespace pgokit::cli
