#pragma once

// The programs and libraries that one profile is used for.
//
//   auto built = TRY(open_built({.files = {"app", "libcore.so"}, .probes = true}));
//   use(built.shape);                  // of them all
//   use(built.programs[0].path());
//
// Fails where one of them lacks what the profile is by.

#include <string>
#include <vector>

#include "analysis/program_shape.h"
#include "report/json.h"

namespace pgokit::cli {

struct BuiltPrograms {
  std::vector<program::Program> programs;
  analysis::ProgramShape shape;
};

struct BuiltOptions {
  std::vector<std::string> files;
  program::ProgramOptions program = {};
  bool probes = false;  // the profile is by probes, not by lines
  unsigned threads = 0;
};

Result<BuiltPrograms> open_built(BuiltOptions options);

// As "program", or an array "programs" of several.
void add_programs(report::Json& json, const std::vector<std::string>& files);

// `app`, or `app and 2 more`.
std::string names_of_built(const std::vector<std::string>& files);

}  // namespace pgokit::cli
