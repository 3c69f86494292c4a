#pragma once

// Sample profiles as files: LLVM's text, binary and extensible binary forms, and GCC's.
// Layouts: docs/formats/sample-profile.md. Source of truth:
// llvm/lib/ProfileData/SampleProfReader.cpp and SampleProfWriter.cpp, and what llvm-profdata 22
// does.
//
//   auto file = TRY(MappedFile::open(path));
//   auto read = TRY_IN(path, read_profile(file.bytes()));      // any form, told by content
//   std::string bytes = TRY(write_profile(read.profile, Format::extbinary));
//
// Errors are one sentence with the line or section where they are.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/model/profile.h"

namespace pgokit::profile {

// compact: of compilers up to clang 16, in place of hashed names in extbinary; read only.
enum class Format { text, binary, extbinary, gcov, compact };
std::string_view format_name(Format format);

struct WriteOptions {
  bool compress = false;      // extbinary: sections by zlib
  bool md5_names = false;     // extbinary: hashes in place of names
  bool split_layout = false;  // extbinary, text: functions without inlinees apart
  bool vtables = false;       // extbinary: with the virtual tables seen (the text has them anyway)
  bool no_vtables = false;    // none in any form: for readers that do not know them
  bool contexts_apart = false;  // contexts of one function are not added up in the summary
  bool notes = false;           // extbinary, text: with the notes (LLVM's tools write none)
  bool llvm_order = false;      // extbinary: metadata in the order that llvm-profdata's would have
  // ... where functions were dropped, which leave that table with the size that it had: all that
  // were in it, in its order. Empty: those of the profile.
  std::vector<ContextId> metadata_order = {};
  u32 gcov_version = 2;  // gcov: 1 to 3 or 0x3430372a, see profile/gcov_format.h
  unsigned threads = 0;  // text, extbinary; 0: all cores
};

// The profile has been sorted. Refused: probes or contexts in the binary and gcov forms, contexts
// in the split layout (it has no table of contexts), names with a zero or, in text, a line end.
Result<std::string> write_profile(const Profile& profile, Format format,
                                  const WriteOptions& options = {});
// The error of such a name, which may be that of an input.
Status check_names(const Profile& profile, Format format);
std::string write_text(const Profile& profile, const WriteOptions& options = {});
Result<std::string> write_binary(const Profile& profile);
Result<std::string> write_extbinary(const Profile& profile, const WriteOptions& options = {});
Result<std::string> write_gcov(const Profile& profile, const WriteOptions& options = {});

// One section of an extensible binary file.
struct SectionInfo {
  u64 type = 0, flags = 0, offset = 0, size = 0;
};
std::string_view section_name(u64 type);

struct ReadProfile {
  Profile profile;  // sorted
  Format format{};
  bool md5_names = false;
  std::vector<SectionInfo> sections;  // of extbinary, in the order of its table
  std::vector<u64> unknown_sections;  // types that were passed over, also of blocks in sections
  std::string far_line;  // of text: where the first line stands that no other form can hold
};

// How to understand what files do not tell, as llvm-profdata's options say it.
struct ReadOptions {
  bool flow_sensitive = false;       // discriminators of text and binary files are flow-sensitive
  u32 discriminator_mask = ~u32{0};  // the bits of flow-sensitive discriminators that stay
  bool contexts_apart = false;       // as in WriteOptions, where a file has no summary

  u32 mask(bool of_flow_sensitive) const { return of_flow_sensitive ? discriminator_mask : ~0u; }
};

// The notes alone, without reading the rest; none of what is no profile.
Notes read_notes(Bytes bytes);

// The form of a file by its first bytes; nullopt: no sample profile.
std::optional<Format> sniff(Bytes bytes);
Result<ReadProfile> read_profile(Bytes bytes, const ReadOptions& options = {});
// The same of what is to be written again, in whichever form: no line is larger than largest_line.
Result<ReadProfile> read_profile_to_write(Bytes bytes, const ReadOptions& options = {});

}  // namespace pgokit::profile
