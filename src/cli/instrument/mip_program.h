#pragma once

// The program of an instrumented profile, for its debug information: the program itself or its
// .debug file.

#include <memory>
#include <string>

#include "base/file.h"
#include "dwarf/debug_info.h"
#include "elf/file.h"
#include "mip/module.h"
#include "mip/source_lines.h"

namespace pgokit::cli {

class MipProgram {
 public:
  static Result<MipProgram> open(const std::string& path);

  const std::string& path() const { return path_; }
  const elf::File& file() const { return *file_; }
  // Equal build ids; where one of them is not known, the caller's word is taken.
  bool is_of(const mip::Module& module) const;
  // Null: it has no debug information.
  const dwarf::DebugInfo* debug() const { return debug_.get(); }
  mip::Places* places() { return places_.get(); }

 private:
  MipProgram() = default;

  std::string path_;
  std::unique_ptr<MappedFile> image_;
  std::unique_ptr<elf::File> file_;
  std::unique_ptr<dwarf::DebugInfo> debug_;
  std::unique_ptr<mip::Places> places_;
};

// All source files whose name ends with `source`, as text with counts in front of each line.
Result<std::string> annotated_sources(const mip::Profile& profile, const MipProgram& program,
                                      const std::string& source);

}  // namespace pgokit::cli
