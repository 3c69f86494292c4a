#pragma once

// `pgokit show` for a sample profile.

#include <string>

#include "base/file.h"

namespace pgokit::cli {

struct ShowProfile {
  std::string function;  // only this one, in full
  u64 top = 20;          // how many of the hottest functions; 0: all
  i64 hot = -1;          // so many functions with a hot place instead; 0: all; -1: not asked for
  bool summary = false;  // no functions
  bool detailed_summary = false;
  bool sections = false;
  bool symbols = false;
  bool mangled = false;
};

Status show_profile(const MappedFile& file, const ShowProfile& options, bool json);

}  // namespace pgokit::cli
