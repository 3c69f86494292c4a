#pragma once

// Which options of `pgokit show` say something about which files: one that says nothing is refused.
//
//   TRY(check_shown(given, Shown::profile, path));       // given: {"--top", "--json"}

#include <span>
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::cli {

enum class Shown : u8 {
  recording,
  script,
  targets,  // of a recording or script
  profile,
  counts,  // without names
  instr_profile,
  instrumented,
  dumps,
  order_ids,  // of a dump
  program,
};

Status check_shown(std::span<const std::string> given, Shown kind, std::string_view path);

}  // namespace pgokit::cli
