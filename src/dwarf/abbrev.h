#pragma once

// Abbreviation tables: what each kind of entry consists of, with a plan for stepping over it.
//
// In the file, a table is a list of declarations
//
//   code (uleb) | tag (uleb) | has children (u8) | { attribute (uleb), form (uleb) [, value] }* 0 0
//
// up to a code of zero. Here forms of fixed size are folded: an entry without strings or blocks is
// stepped over by one addition.

#include <tsl/robin_map.h>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/cursor.h"

namespace pgokit::dwarf {

// What the size of some forms depends on.
struct FormSizes {
  u16 version = 0;
  u8 address = 0;
  u8 offset = 0;  // 4 or 8: 32- or 64-bit DWARF

  u8 ref_addr() const { return version == 2 ? address : offset; }
  bool operator==(const FormSizes&) const = default;
};

// How many bytes a form takes, if that does not depend on the data; -1 if it does.
int fixed_size(u16 form, FormSizes sizes);

struct AttributeSpec {
  static constexpr u8 slow = 0xff;

  u16 attribute = 0, form = 0;
  u8 size = slow;     // of a plain number of fixed size
  bool known = true;  // one that somebody here asks for
};

// One step of a plan: this many bytes, then something whose size is in the data.
struct SkipStep {
  enum Kind : u32 { done, leb, text, block1, block2, block4, block, slow };

  SkipStep() = default;
  SkipStep(u64 bytes, Kind kind) : word_(static_cast<u32>(bytes << 3 | kind)) {}
  u32 bytes() const { return word_ >> 3; }
  Kind kind() const { return static_cast<Kind>(word_ & 7); }

 private:
  u32 word_ = 0;
};

struct Abbrev {
  u32 specs = 0, spec_count = 0;  // in AbbrevTable::specs
  u32 steps = 0;                  // in AbbrevTable::steps; the last one is `done` or `slow`
  u16 tag = 0;
  bool has_children = false;
  bool has_code = false;  // an attribute that gives addresses
};

class AbbrevTable {
 public:
  // Reads one table from the start of `bytes`. A broken table is empty.
  static AbbrevTable read(Bytes bytes, FormSizes sizes);

  // nullptr for a code that is not declared.
  const Abbrev* find(u64 code) const {
    if (code - first_code_ < dense_) [[likely]]
      return &abbrevs_[code - first_code_];
    return find_sparse(code);
  }

  const SkipStep* steps(const Abbrev& abbrev) const { return &steps_[abbrev.steps]; }

  // Calls each(spec, constant) for the attributes in order; stops when it returns false.
  template <class Each>
  void for_each(const Abbrev& abbrev, Each&& each) const {
    for (const auto& spec : specs(abbrev))
      if (!each(spec, constant(spec))) return;
  }
  std::span<const AttributeSpec> specs(const Abbrev& abbrev) const {
    return {specs_.data() + abbrev.specs, abbrev.spec_count};
  }
  // The value of an attribute that is the same in all entries.
  i64 constant(const AttributeSpec& spec) const {
    auto found = constants_.find(static_cast<size_t>(&spec - specs_.data()));
    return found == constants_.end() ? 0 : found->second;
  }

  bool has_linkage_names() const { return has_linkage_names_; }

 private:
  const Abbrev* find_sparse(u64 code) const;
  bool read_declaration(Cursor& in, u64 code, FormSizes sizes);
  void plan(Abbrev& abbrev, FormSizes sizes);

  std::vector<Abbrev> abbrevs_;
  std::vector<AttributeSpec> specs_;
  std::vector<SkipStep> steps_;
  tsl::robin_map<size_t, i64> constants_;  // of DW_FORM_implicit_const, by place in specs_
  u64 first_code_ = 0, dense_ = 0;         // codes that follow each other, as everybody writes them
  tsl::robin_map<u64, u32> sparse_;
  bool has_linkage_names_ = false;
};

// The tables of one .debug_abbrev, each read when first used. Tables do not overlap: one ends where
// the next one in use begins, whatever it says itself.
class AbbrevTables {
 public:
  class Slot {
   public:
    const AbbrevTable& get() const;

   private:
    friend class AbbrevTables;
    Bytes bytes_;
    FormSizes sizes_;
    mutable std::once_flag once_;
    mutable AbbrevTable table_;
  };

  struct Use {
    u64 offset;
    FormSizes sizes;
  };
  // One slot per use, shared by equal uses.
  std::vector<const Slot*> add(Bytes section, const std::vector<Use>& uses);

 private:
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace pgokit::dwarf
