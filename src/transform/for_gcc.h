#pragma once

#include <string>
#include <string_view>

#include "profile/model/profile.h"

namespace pgokit::transform {

// The name that GCC looks a function up by: without what follows a dot (of clones and parts, and
// what makes names unique), and a constructor or destructor as the copy that has code. Debug
// information names inlined ones by the group of copies, _ZN1SC4Ev, which is no symbol.
//
//   gcc_name("_ZN1SC4Ev.isra.0")   // "_ZN1SC2Ev"
std::string gcc_name(std::string_view name);

// Of a program in C, in which clang mangles the names of static functions to make them unique, and
// GCC does not: `_ZL4pushP5stack.__uniq.12` is `push`.
std::string gcc_name_in_c(std::string_view name);

enum class GccNames : bool { of_cplusplus, of_c };

// All functions, inlinees and targets of the profile so; what has one name then is added up.
// Sorted afterwards. Not for profiles with contexts.
void name_as_gcc(profile::Profile& profile, GccNames names = GccNames::of_cplusplus);

// Without the targets of calls; the counts of their places stay.
void drop_call_targets(profile::Profile& profile);

}  // namespace pgokit::transform
