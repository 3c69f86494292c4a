#pragma once

// Names for the addresses that machine code mentions: "main+0x10", in objects from relocations.
//
//   CodeNames names(file, layout, regions);
//   names.append_name(target, text);                         // " <main+0x10>", or nothing

#include <string>
#include <vector>

#include "object/relocations.h"
#include "program/code_regions.h"
#include "program/probe_file.h"

namespace pgokit::cli {

class CodeNames {
 public:
  CodeNames(const program::ProbeFile& file, const object::Layout& layout,
            std::span<const program::CodeRegion> regions);

  // Of the code or data at an address; false where there is no symbol for it.
  bool append_name(u64 address, std::string& text) const;

  // What the linker will put into an instruction: its relocations, one after the other. False where
  // it has none.
  bool append_relocations(const program::CodeRegion& region, u64 address, size_t length,
                          std::string& text) const;

 private:
  struct Named {
    u64 address = 0, end = 0;
    std::string_view name;
  };
  std::string_view name_of(const object::Relocation& relocation) const;

  const program::ProbeFile& file_;
  const object::Layout& layout_;
  std::vector<Named> names_;                                 // by address, one each
  std::vector<std::vector<object::Relocation>> by_section_;  // of objects
};

}  // namespace pgokit::cli
