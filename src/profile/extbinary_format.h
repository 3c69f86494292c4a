#pragma once

// Numbers of the binary forms. Source of truth: llvm/ProfileData/SampleProf.h (enum
// SecType and the flag enums below it).

#include <string_view>

#include "base/types.h"

namespace pgokit::profile {

inline constexpr u64 magic_of_binary = 0x5350524f463432ff;  // "SPROF42" and the form
inline constexpr u64 magic_of_compact = 0x5350524f46343202;
inline constexpr u64 magic_of_extbinary = 0x5350524f46343204;
inline constexpr u64 format_version = 103;
// Also of the extensible form: 104 may have tables in an order of their own (flags below), 105 a
// composite section in place of the functions.
inline constexpr u64 newest_extbinary_version = 105;

enum SectionType : u64 {
  summary_section = 1,
  name_table_section = 2,
  symbol_list_section = 3,
  function_offset_section = 4,
  metadata_section = 5,
  context_table_section = 6,
  composite_offset_section = 7,
  functions_section = 32,
  composite_section = 33,
  notes_section = 0x70676f6b,  // of pgokit; LLVM passes over what it does not know
};

// What a section of notes begins with.
inline constexpr std::string_view head_of_notes = "pgokit notes 1\n";
// In text each note is a comment.
inline constexpr std::string_view prefix_of_notes = "# pgokit note: ";

// The kind of a block in a composite section.
inline constexpr u64 composite_counts = 0;

// The low half of a section's flags means the same in all.
enum CommonFlag : u64 { section_compressed = 1, section_flat = 2 };

constexpr u64 own_flag(u64 bit) { return bit << 32; }

enum SummaryFlag : u64 {
  summary_partial = own_flag(1),
  summary_context_sensitive = own_flag(2),
  summary_fs_discriminators = own_flag(4),
  summary_pre_inlined = own_flag(16),
  summary_has_vtables = own_flag(32),
};
enum NameTableFlag : u64 {
  names_md5 = own_flag(1),
  names_fixed_md5 = own_flag(2),
  names_have_unique_suffix = own_flag(4),
  names_eytzinger = own_flag(8),  // hashes in the order of a binary search
};
enum SymbolListFlag : u64 { symbols_md5 = own_flag(1) };  // hashes in that order
enum MetadataFlag : u64 { metadata_probes = own_flag(1), metadata_attributes = own_flag(2) };
enum OffsetFlag : u64 {
  offsets_ordered = own_flag(1),
  offsets_eytzinger = own_flag(2),  // parallel to the names
};

}  // namespace pgokit::profile
