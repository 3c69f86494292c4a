#pragma once

// The table at the beginning of an extensible binary profile, and compressed sections.

#include "base/cursor.h"
#include "profile/extbinary/function_walk.h"
#include "profile/format.h"

namespace pgokit::profile {

// Where the sections are is not looked at.
Result<std::vector<SectionInfo>> read_section_table(Bytes file);

// What the flags of all sections say of the whole file.
struct FileFlags {
  Flags flags;
  bool md5_names = false;
  bool vtables = false;  // functions end with their virtual tables
  MetadataParts metadata;
};
// Fails where two sections of metadata are not of one kind.
Result<FileFlags> read_flags(std::span<const SectionInfo> sections);

// False where what it holds does not begin as one.
bool read_section_of_notes(std::string_view contents, Notes& notes);

// Where functions begin in the section of functions, as the table before it says.
std::vector<u64> read_offsets(Cursor& in);
// Where parts of that section end that are worth a core of their own, ascending, the last at `size`.
// A function begins there, which is true where the part before ends there.
std::vector<u64> part_ends(std::vector<u64> offsets, size_t size);

// What a section with section_compressed holds.
Result<std::string> inflate_section(Bytes section);

}  // namespace pgokit::profile
