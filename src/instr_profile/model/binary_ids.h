#pragma once

// Build ids of the programs that were counted, as raw and indexed files list them: for each u64 size,
// so many bytes, and zeros up to a multiple of 8.
//
//   TRY(read_binary_ids(section, big_endian, facts.binary_ids));

#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::instr_profile {

Status read_binary_ids(Bytes section, bool big_endian, std::vector<std::string_view>& ids);

}  // namespace pgokit::instr_profile
