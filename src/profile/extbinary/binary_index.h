#pragma once

// A binary or extensible binary profile, looked through from end to end but not decoded: which
// functions it has and where, so that they can be added to a profile (function_adder.h) without
// anything going wrong half-way. Views into the file, which has to stay.
//
//   auto index = TRY(index_binary(bytes));
//   for (const auto& entry : index.functions) ...
//
// It takes 4 bytes per name and 16 per function beside the file, and what was compressed.

#include <deque>
#include <string>
#include <vector>

#include "base/cursor.h"
#include "base/result.h"
#include "profile/extbinary/function_walk.h"
#include "profile/format.h"
#include "profile/model/notes.h"

namespace pgokit::profile {

// A name table of the file.
struct NameList {
  enum class Kind { texts, varint_guids, fixed_guids };

  Kind kind = Kind::texts;
  Bytes bytes;
  std::vector<u32> starts;  // of the names in `bytes`

  size_t size() const { return starts.size(); }
};

// The contexts of a context-sensitive file; their names are of `names`, a number in
// BinaryIndex::names.
struct ContextList {
  Bytes bytes;
  u64 count = 0;
  u32 names = 0;
};

struct BinaryIndex {
  struct Entry {
    u32 subject = 0;  // a name, or where context-sensitive a context, by its number in its table
    u32 tables = 0;   // which NameList and ContextList (files may have several of each)
    const u8* at = nullptr;  // of a function its head, of metadata what follows the subject
  };

  Format format{};
  Flags flags;
  bool md5_names = false;
  bool vtables = false;  // functions end with their virtual tables
  MetadataParts metadata_parts;
  u64 total = 0;                     // of all counts, as the file has it
  u32 discriminator_mask = ~u32{0};  // the bits of discriminators that count
  std::vector<SectionInfo> sections;
  std::vector<u64> unknown_sections;
  std::vector<NameList> names;
  std::vector<ContextList> contexts;  // as many as names
  std::vector<Entry> functions;       // in the order of the file
  std::vector<Entry> metadata;        // ascending by subject; the last one of several counts
  std::vector<Bytes> symbols;         // texts with NUL
  Notes notes;
  std::deque<std::string> contents;  // of compressed sections

  // Null: there is none.
  const u8* metadata_of(const Entry& function) const;
};

// Of a file of one of these forms, binary or compact binary in the first. Errors tell section and
// offset.
Result<BinaryIndex> index_binary(Bytes file, const ReadOptions& options = {});
Result<BinaryIndex> index_extbinary(Bytes file, const ReadOptions& options = {});

}  // namespace pgokit::profile
