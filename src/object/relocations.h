#pragma once

// What a linker would do to the sections of a relocatable object, as far as readers need it: an
// address space for all code sections, and the values of absolute relocations.
//
//   object::Layout layout(file);
//   u64 address = layout.address_of(symbol);          // unique among the symbols of all sections
//   auto place = layout.place_of(address);            // back to section and offset
//
//   object::Relocations relocations(file);
//   for (const auto& one : relocations.of(text)) ...  // ascending by offset
//   auto bytes = TRY(relocations.apply(section, layout, file.symbols()));
//
// Linked files keep the addresses that they have. In a relocatable object the code sections lie one
// behind the other in the order of their headers, the first at 0; other sections are all at 0.

#include <optional>
#include <vector>

#include "base/result.h"
#include "object/file.h"

namespace pgokit::object {

class Layout {
 public:
  struct Place {
    const Section* section = nullptr;
    u64 offset = 0;
  };

  // The file must outlive the layout.
  explicit Layout(const File& file);

  u64 address_of(const Section& section) const { return starts_[section.index]; }
  // A symbol's value in a linked file; of an object the place that its section got.
  u64 address_of(const Symbol& symbol) const;
  // The code section that an address is in.
  std::optional<Place> place_of(u64 address) const;
  bool is_relocatable() const { return file_->is_relocatable(); }

 private:
  const File* file_;
  std::vector<u64> starts_;  // by section
  std::vector<u32> code_;    // code sections by address
};

class Relocations {
 public:
  explicit Relocations(const File& file) : file_(&file) {}

  std::vector<Relocation> of(const Section& section) const;
  bool any(const Section& section) const { return file_->reader().has_relocations(section); }

  // The section's contents with its relocations carried out. Only absolute ones are known: another
  // one is an error that names its place.
  Result<std::vector<u8>> apply(const Section& section, const Layout& layout,
                                const std::vector<Symbol>& symbols) const;

 private:
  const File* file_;
};

}  // namespace pgokit::object
