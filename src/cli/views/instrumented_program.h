#pragma once

// The program of an instrumented profile, for its debug information: the program itself or its
// .debug file.

#include <memory>
#include <string>

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

// All source files whose name ends with `source`, as text with counts in front of each line.
Result<std::string> annotated_sources(const instrument::Profile& profile, const MipProgram& program,
                                      const std::string& source);

}  // namespace pgokit::cli
