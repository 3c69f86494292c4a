#pragma once

// llvm-profdata overlap without --sample: instrumentation profiles, the same text.

#include "base/file.h"
#include "instr_profile/overlap/overlap.h"

namespace pgokit::cli {

Status overlap_instr_as_llvm(const MappedFile& base, const MappedFile& test,
                             const instr_profile::OverlapOptions& options, OutputFile& output);

}  // namespace pgokit::cli
