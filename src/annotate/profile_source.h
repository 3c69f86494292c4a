#pragma once

// The source lines of a profile's functions, without a program: places of the profile are lines
// from the function's first one on, and the function is looked for in a folder of sources.
//
//   auto folder = TRY(SourceFolder::open("src"));
//   auto sources = profiled_sources(profile, {"main", "_Z3oddi"}, folder);
//   if (sources[0].definition) use(sources[0].definition->file, sources[0].lines);
//
// A definition has to hold all lines of the profile. Where several do, none is taken: `why_not`
// names them.

#include <optional>
#include <string>
#include <vector>

#include "annotate/source_folder.h"
#include "profile/model/profile.h"

namespace pgokit::annotate {

struct ProfiledLine {
  struct Callee {
    std::string name;
    u64 count = 0;
    bool inlined = false;
  };
  u32 line = 0;                 // of the file
  u64 count = 0;                // of its most frequent place
  std::vector<Callee> callees;  // the most frequent first
};

struct ProfiledSource {
  std::string function;
  u64 samples = 0, entries = 0;
  std::optional<Definition> definition;
  std::string why_not;              // in words, where there is none
  std::vector<ProfiledLine> lines;  // ascending; none without a definition
};

// Of each name, in that order; contexts of a function are added up. The profile is by lines.
std::vector<ProfiledSource> profiled_sources(const profile::Profile& profile,
                                             const std::vector<std::string>& functions,
                                             const SourceFolder& folder);

}  // namespace pgokit::annotate
