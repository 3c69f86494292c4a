#pragma once

// `pgokit show` for a sample profile.

#include <string>

#include "base/file.h"

namespace pgokit::cli {

struct ShowProfile {
  std::string function;  // only this one, in full
  u64 top = 20;          // how many of the hottest functions; 0: all
};

Status show_profile(const MappedFile& file, const ShowProfile& options, bool json);

}  // namespace pgokit::cli
