#pragma once

// Where in the source the places of a profile are, by the program's debug information.
//
//   auto places = TRY(SourcePlaces::of(program, {"main"}));
//   if (auto at = places.find("main", {3, 0})) use(at->file, at->line);
//
// Also of functions that were inlined everywhere. All functions of the program are looked through.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "profile/model/function_samples.h"
#include "program/program.h"

namespace pgokit::annotate {

class SourcePlaces {
 public:
  struct Line {
    std::string file;
    u32 line = 0;
  };

  // `names`: canonical ones. By probes where the program was opened with them, else by lines.
  static Result<SourcePlaces> of(const program::Program& program,
                                 const std::set<std::string, std::less<>>& names);

  std::optional<Line> find(std::string_view function, profile::LineLocation at) const;

 private:
  class LineFill;
  Status fill_probes(const program::Program& program,
                     const std::set<std::string, std::less<>>& names);

  bool by_probes_ = false;
  std::map<std::string, Line, std::less<>> starts_;  // the first lines of functions
  std::map<std::pair<std::string, u32>, Line> probes_;
};

}  // namespace pgokit::annotate
