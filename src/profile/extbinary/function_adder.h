#pragma once

// Adds the functions of a file to a profile, straight from the file's bytes.
//
//   auto index = TRY(index_extbinary(bytes));
//   auto tables = FileTables::take(index, profile);
//   FunctionAdder adder(index, tables, {.weight = 3});
//   for (const auto& entry : index.functions)
//     adder.add(entry, profile.function(tables.context(entry, profile)), false);
//
// Threads may add to different functions at the same time.

#include <functional>

#include "base/saturated.h"
#include "profile/extbinary/binary_index.h"

namespace pgokit::profile {

// What the names and contexts of a file are in the tables of a profile.
class FileTables {
 public:
  // Reads them from the index, whose lists of names are gone afterwards. `rename` gives another
  // name for one; null: they stay.
  using Rename = std::function<std::string_view(std::string_view name)>;
  static FileTables take(BinaryIndex& index, Profile& into, const Rename* rename = nullptr);

  NameId name(u32 table, u64 index) const { return static_cast<NameId>(names_[table][index]); }
  std::span<const u32> names(u32 table) const { return names_[table]; }
  ContextId context(const BinaryIndex::Entry& entry, Profile& into) const;

 private:
  std::vector<std::vector<u32>> names_;  // NameIds
  std::vector<std::vector<ContextId>> contexts_;
  bool context_sensitive_ = false;
};

// The file's symbol list.
void take_symbols(const BinaryIndex& index, Names& symbols);

class FunctionAdder {
 public:
  FunctionAdder(const BinaryIndex& index, const FileTables& tables, const Addition& addition)
      : index_(index), tables_(tables), addition_(addition) {}

  // How many functions, inlinees included, were left out or replaced for their checksums.
  u64 add(const BinaryIndex::Entry& entry, FunctionSamples& into, bool fresh);

 private:
  // Metadata of one function of the tree, by the number of its caller's.
  struct Metadata {
    u32 parent = 0;
    u32 id = 0;
    LineLocation location;
    u32 name = 0;
    u64 checksum = 0;
    u32 attributes = 0;
    auto key() const { return std::tuple(parent, location, name); }
  };

  class MetadataVisitor;
  class Visitor;
  class Body;
  class Inlinees;
  class Vtables;

  void read_metadata(const u8* at);
  const Metadata* metadata_of(u32 parent, LineLocation location, u32 name) const;
  // Whether the samples of this version may be added.
  bool may_add(FunctionSamples& into, bool fresh, const Metadata* metadata);
  LineLocation location(RawLocation at) const {
    LineLocation place = at.narrow();
    place.discriminator &= index_.discriminator_mask;
    return place;
  }
  u64 weighted(u64 count) const {
    return addition_.weight == 1 ? count : multiply_saturated(count, addition_.weight);
  }

  const BinaryIndex& index_;
  const FileTables& tables_;
  Addition addition_;
  std::span<const u32> names_;
  std::vector<Metadata> metadata_;  // of the function that is being added, by key
  u64 replaced_ = 0;
};

}  // namespace pgokit::profile
