#pragma once

// Which mappings of a recording are the program's: by build id, else by file name. The kernel has a
// mapping with a name of its own.

#include <string>
#include <string_view>

#include "base/types.h"
#include "perf/build_ids.h"

namespace pgokit::samples {

// Of a recording that is empty.
inline constexpr std::string_view no_samples =
    "there are no samples in it: record for longer, or at a higher rate";

// True for the same id, also where one was stored padded with zeros (20 bytes) or cut off.
bool same_build_id(Bytes a, Bytes b);

// The part behind the last '/', without the kernel's " (deleted)".
std::string_view file_name(std::string_view path);

// By the name: code that runs in whatever program uses it.
inline bool is_library(std::string_view path) { return file_name(path).contains(".so"); }

class ProgramMatch {
 public:
  enum class Verdict { program, other_build, other_program };

  // `recorded`: the recording's own list of build ids. `kernel`: the program is Linux. The
  // arguments outlive the match.
  ProgramMatch(std::string_view program_name, Bytes program_id,
               const std::vector<perf::BuildId>& recorded, bool kernel = false)
      : name_(program_name), id_(program_id), recorded_(recorded), kernel_(kernel) {}

  // other_build: the name is the program's, its build id is not.
  Verdict operator()(const perf::Mapping& mapping) const;
  // `any_build`: another one will do.
  bool is_program(std::string_view path, Bytes build_id, bool any_build) const;
  // What the recording knows of the mapped file; empty: nothing.
  Bytes recorded_id(const perf::Mapping& mapping) const;

 private:
  std::string_view name_;
  Bytes id_;
  perf::BuildIds recorded_;
  bool kernel_;
};

}  // namespace pgokit::samples
