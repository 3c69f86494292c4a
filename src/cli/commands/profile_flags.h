#pragma once

// The flags of builds that are recorded and of builds that use what was made of the recordings: the
// words `profile` and `use=FILE` of `pgokit flags`.
//
//   ProfileBuild build{.files = {"app.prof", "app.order"}, .root = "/src/app"};
//   TRY(add_profile_flags(build, flags));

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/views/flag_styles.h"
#include "pipeline/consumers.h"

namespace pgokit::cli {

struct ProfileBuild {
  std::vector<std::string> files = {};  // of use=; none: the build is to be recorded
  // "probes", "lines", "blocks" (lines, and a map of blocks, of which layouts are made), or what
  // the profile has.
  std::string by = {};
  pipeline::Target target = {};  // who compiles; none: clang, or what the profile is for
  bool rust = false;
  bool if_there = false;       // files that are not there yet are left out
  bool explain = false;        // the build says what the compiler made of the profile
  bool lto = false;            // ... and lld generates its code
  std::string root = {};       // the folder of the sources
  bool relative_paths = true;  // compilers may be given such, in any folder of the build
  // Where pgokit's plugin is, which some files are for.
  std::function<Result<std::filesystem::path>()> find_plugin = {};
};

// What each file is, is told by its contents. An error is one line with the next step.
Status add_profile_flags(const ProfileBuild& build, BuildFlags& flags);

}  // namespace pgokit::cli
