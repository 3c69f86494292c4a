#pragma once

// The file of a program or library, if it is of the build that is wanted.
//
//   auto found = open_build(path, build_id, true);
//   if (found && !found->file->has_symtab()) debug = open_debug_file(build_id);

#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "object/file.h"

namespace pgokit::samples {

struct BuildFile {
  std::unique_ptr<MappedFile> image;
  std::unique_ptr<object::File> file;
};

// Nothing where it cannot be read, or is of another build. `name_is_enough`: also one that has no
// build id.
std::optional<BuildFile> open_build(const std::string& path, const std::string& build_id,
                                    bool name_is_enough);

// Where distributions put the symbols of what they strip.
std::optional<BuildFile> open_debug_file(const std::string& build_id);

}  // namespace pgokit::samples
