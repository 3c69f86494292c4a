#pragma once

// The order in which the functions of a profile are written.

#include <vector>

#include "instr_profile/model/profile.h"

namespace pgokit::instr_profile {

// By name, then by hash. With `sparse`, without the names none of whose functions ran.
std::vector<u32> in_order(const Profile& profile, bool sparse);

// Different numbers in the order in which LLVM's table lists them, one that has `first_places` at
// first: `hashes` are in the order in which they came, the result are places in it.
std::vector<u32> hash_table_order(std::span<const u64> hashes, size_t first_places = 4);

}  // namespace pgokit::instr_profile
