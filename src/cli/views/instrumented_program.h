#pragma once

// The programs of an instrumented profile, for their debug information: each is the program itself or
// its .debug file.
//
//   auto programs = TRY(MipPrograms::open({"app", "libx.so"}));
//   TRY(programs.check(profile, "app.mip"));
//   if (MipProgram* program = programs.of(module)) use(program->places());

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "dwarf/debug_info.h"
#include "instrument/module.h"
#include "instrument/source_lines.h"
#include "object/file.h"

namespace pgokit::cli {

class MipProgram {
 public:
  static Result<MipProgram> open(const std::string& path);

  const std::string& path() const { return path_; }
  const object::File& file() const { return *file_; }
  // Equal build ids; where one of them is not known, the caller's word is taken.
  bool is_of(const instrument::Module& module) const;
  // Null: it has no debug information.
  const dwarf::DebugInfo* debug() const { return debug_.get(); }
  instrument::Places* places() { return places_.get(); }

 private:
  MipProgram() = default;

  std::string path_;
  std::unique_ptr<MappedFile> image_;
  std::unique_ptr<object::File> file_;
  std::unique_ptr<dwarf::DebugInfo> debug_;
  std::unique_ptr<instrument::Places> places_;
};

class MipPrograms {
 public:
  static Result<MipPrograms> open(const std::vector<std::string>& paths);

  bool empty() const { return programs_.empty(); }
  // Null: none of them is the module's.
  MipProgram* of(const instrument::Module& module);
  // An error where one of them has no debug information.
  Status check_debug() const;
  // An error where one of them is not of the profile.
  Status check(const instrument::Profile& profile, const std::string& profile_path) const;

 private:
  std::vector<MipProgram> programs_;
};

// All source files whose name ends with `source`, as text with counts in front of each line.
Result<std::string> annotated_sources(const instrument::Profile& profile, MipPrograms& programs,
                                      const std::string& source);

}  // namespace pgokit::cli
