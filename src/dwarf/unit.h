#pragma once

// One unit of .debug_info: its header, the facts of its first entry, and what is needed to
// understand the values of its entries.
//
//   auto units = read_units(sections, abbrevs);          // headers only
//   for (auto& unit : units) read_unit_entry(unit);      // in any order, on any thread
//   Value v = find(entry, {attr::decl_line});
//   if (auto line = as_constant(v)) ...
//
// Offsets are into the unit's .debug_info.

#include <cstring>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/sections.h"

namespace pgokit::dwarf {

struct Unit {
  const Sections* sections = nullptr;
  const AbbrevTables::Slot* abbrevs = nullptr;
  u64 offset = 0, entries = 0, end = 0;  // header, first entry, end of the unit
  u64 abbrev_offset = 0;
  FormSizes sizes;
  u8 type = 0;
  bool usable = false;  // has a first entry that can be read
  u32 index = 0;        // among all units

  // The unit that a split unit takes its addresses from, and the file its addresses are in.
  const Unit* skeleton = nullptr;
  const Sections* address_sections = nullptr;

  std::optional<u64> dwo_id, low_pc, line_offset, address_base;
  u64 language = 0;  // 0: not told, as where the unit is split
  u64 str_offsets_base = 0, rnglists_base = 0, ranges_base = 0;
  std::string_view comp_dir, dwo_name, producer;

  bool is_type() const { return type == unit_type_type || type == unit_type_split_type; }
  bool is_split() const { return sections->split; }

 private:
  static constexpr u8 unit_type_type = 2, unit_type_split_type = 6;
};

// The raw value of an attribute; which of the as_...() below makes sense of it depends on the form.
struct Value {
  u64 raw = 0;  // a number; for text and blocks the place in .debug_info
  u16 form = 0;

  explicit operator bool() const { return form != 0; }
};

// An entry: where its attributes begin and what they are.
struct Entry {
  const Unit* unit = nullptr;
  const Abbrev* abbrev = nullptr;  // nullptr: there is none
  u64 attributes = 0;

  explicit operator bool() const { return abbrev != nullptr; }
};

// Headers of all units; a bad one ends the list, as nobody knows where the next begins, and is
// counted. Units without entries are left out; a run of them counts as one that is broken, and so
// do all units that are more than programs have.
std::deque<Unit> read_units(const Sections& sections, u64& broken);
// Gives each unit its abbreviations.
void assign_abbrevs(std::deque<Unit>& units, AbbrevTables& tables);
// Fills in what the first entry of a program's unit says.
void read_unit_entry(Unit& unit);
// What a split unit needs instead: where its parts of the file's sections begin (0 but in a
// package), and its skeleton.
void prepare_split_unit(Unit& unit, u64 str_offsets, u64 rnglists);
void attach_skeleton(Unit& unit, const Unit& skeleton);

Entry entry_at(const Unit& unit, u64 offset);
// Reads a value and moves the cursor past it; false for a form that is not known.
bool read_value(Cursor& in, const Unit& unit, AttributeSpec spec, i64 constant, Value& value);

// The bytes of a number of up to 8, where 8 bytes can be read.
inline u64 load_number(const u8* bytes, unsigned size) {
  u64 value;
  std::memcpy(&value, bytes, sizeof value);
  return value & (~u64{0} >> (64 - 8 * size));
}

// Calls each(attribute, value) for every attribute that is known; false if one cannot be read.
template <class Each>
bool for_each_attribute(const Entry& entry, Each&& each) {
  Bytes info = entry.unit->sections->info;
  u64 at = entry.attributes;
  const AbbrevTable& table = entry.unit->abbrevs->get();
  for (const auto& spec : table.specs(*entry.abbrev)) {
    Value value{0, spec.form};
    if (spec.size != AttributeSpec::slow && info.size() - at >= 8) [[likely]] {
      value.raw = load_number(info.data() + at, spec.size);
      at += spec.size;
    } else {
      Cursor in(info.subspan(at));
      if (!read_value(in, *entry.unit, spec, table.constant(spec), value)) return false;
      at += in.position();
    }
    if (spec.known) each(spec.attribute, value);
  }
  return true;
}

// The first of the attributes in the order asked for; no value if there is none.
Value find(const Entry& entry, std::initializer_list<u16> attributes);

std::optional<u64> as_constant(Value value);  // not for signed ones, as LLVM has it
std::optional<u64> as_section_offset(Value value);
std::optional<u64> as_address(const Unit& unit, Value value);
// Of the location of a variable: where it always is.
std::optional<u64> as_fixed_place(const Unit& unit, Value value);
std::optional<std::string_view> as_text(const Unit& unit, Value value);
// An address by its index in .debug_addr.
std::optional<u64> indexed_address(const Unit& unit, u64 index);

}  // namespace pgokit::dwarf
