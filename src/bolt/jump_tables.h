#pragma once

// Tables of addresses that code jumps by: how long they are, and where they lead.
//
//   JumpTables tables(file, functions);
//   if (tables.looks_like({address, true}, function)) ...
//   tables.for_each_target({address, true}, next_table, function, [&](u64 target) { ... });
//
// There is no list of them in a program. A table is taken for as long as its entries lead into its
// function; where the program has its relocations, as long as there is one for each entry.

#include <vector>

#include "bolt/code.h"
#include "bolt/functions.h"

namespace pgokit::bolt {

class JumpTables {
 public:
  JumpTables(const object::File& file, const Functions& functions);

  bool looks_like(const FunctionCode::Table& table, const Function& function) const;

  // `next`: where another table begins; 0: none is known. Targets lie in the function or in another
  // part of it.
  template <class Each>
  void for_each_target(const FunctionCode::Table& table, u64 next, const Function& function,
                       const Each& each) const {
    Reading reading(*this, table, next, function);
    for (u64 target; reading.next(target);) each(target);
  }

  // Addresses in code that relocations of data or of code name; pairs with the place's section
  // being code. Ascending.
  struct Reference {
    u64 address = 0;
    bool from_code = false;
    u64 place = 0;
  };
  const std::vector<Reference>& references() const { return references_; }

 private:
  class Reading {
   public:
    Reading(const JumpTables& tables, const FunctionCode::Table& table, u64 next,
            const Function& function);
    bool next(u64& target);
    u64 targets = 0;
    bool special = false;  // an entry leads to the start or the end of the function

   private:
    bool read(u64& target);
    u64 entries_left_ = 1 << 16;  // longer ones are damage
    const JumpTables& tables_;
    FunctionCode::Table table_;
    const Function& function_;
    u64 at_, end_;
    const object::Section* section_;
  };

  const object::Section* data_at(u64 address) const;
  void read_relocations(const object::File& file);
  bool may_be_entry(u64 place, bool relative) const;

  const object::File& file_;
  const Functions& functions_;
  std::vector<u64> relative_places_, absolute_places_;  // of relocations to code; ascending
  std::vector<Reference> references_;
};

}  // namespace pgokit::bolt
