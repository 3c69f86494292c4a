#pragma once

// The program that a raw memory profile is of: it turns addresses into frames, by debug information.
//
//   auto program = TRY(MemoryProgram::open("app"));
//   MemoryProfile profile = TRY(program.profile_of(TRY(read_raw_memory(bytes)), with_names));
//
// Frames of the run time's own allocation functions, and addresses without debug information, are
// left out; allocations of which no frame is left are, too.

#include <memory>

#include "base/file.h"
#include "dwarf/debug_info.h"
#include "instr_profile/memory/memory_profile.h"
#include "instr_profile/memory/read_raw_memory.h"

namespace pgokit::instr_profile {

class MemoryProgram {
 public:
  static Result<MemoryProgram> open(const std::string& path);

  // With names, the profile keeps those of its functions. Errors begin with the program's path
  // where the program is what is wrong.
  Result<MemoryProfile> profile_of(const RawMemory& raw, bool with_names) const;

 private:
  explicit MemoryProgram(std::string path) : path_(std::move(path)) {}
  Status check();

  std::string path_;
  std::unique_ptr<MappedFile> image_;
  std::unique_ptr<object::File> file_;
  std::unique_ptr<dwarf::DebugInfo> debug_;
  u64 code_address_ = 0;  // of the segment with code, as linked
};

// The build ids in it, that of the program first: which program is wanted.
std::string build_ids_of(const RawMemory& raw);

}  // namespace pgokit::instr_profile
