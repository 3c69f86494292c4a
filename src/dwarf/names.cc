#include "dwarf/names.h"

#include <algorithm>
#include <array>

#include "dwarf/constants.h"

namespace pgokit::dwarf {
namespace {

// The attributes of one entry that names and lines are looked for in.
struct Facts {
  u64 place = 0;
  const Unit* unit = nullptr;
  Value mips_name, linkage_name, name, line, origin, specification;
};

Facts read_facts(const Entry& entry) {
  Facts facts{entry.attributes, entry.unit, {}, {}, {}, {}, {}, {}};
  for_each_attribute(entry, [&](u16 attribute, Value value) {
    auto keep = [&](Value& where) {
      if (!where) where = value;
    };
    switch (attribute) {
      case attr::mips_linkage_name:
        return keep(facts.mips_name);
      case attr::linkage_name:
        return keep(facts.linkage_name);
      case attr::name:
        return keep(facts.name);
      case attr::decl_line:
        return keep(facts.line);
      case attr::abstract_origin:
        return keep(facts.origin);
      case attr::specification:
        return keep(facts.specification);
      default:
        return;
    }
  });
  return facts;
}

// The entries that an entry takes attributes from, nearest first and itself to begin with: the one
// it specifies and all behind that, then its abstract origin. No entry comes twice; longer chains
// than any compiler writes are cut.
class Chain {
 public:
  Chain(const UnitList& units, const Entry& entry) : units_(units) { visit(entry); }

  const Facts* next() { return given_ == size_ ? nullptr : &entries_[given_++]; }

 private:
  static constexpr size_t longest = 16;

  void visit(const Entry& entry) {
    if (!entry || size_ == longest) return;
    for (size_t i = 0; i < size_; ++i)
      if (entries_[i].place == entry.attributes && entries_[i].unit == entry.unit) return;
    const Facts& facts = entries_[size_++] = read_facts(entry);
    follow(*entry.unit, facts.specification);
    follow(*entry.unit, facts.origin);
  }

  void follow(const Unit& unit, Value reference) {
    if (auto place = referenced_place(unit, reference)) visit(entry_at_place(units_, unit, *place));
  }

  const UnitList& units_;
  std::array<Facts, longest> entries_;
  size_t size_ = 0, given_ = 0;
};

}  // namespace

const Unit* UnitList::at(u64 offset) const {
  auto found = std::ranges::upper_bound(units_, offset, {}, &Unit::end);
  return found != units_.end() && found->offset <= offset ? &*found : nullptr;
}

std::optional<u64> referenced_place(const Unit& from, Value value) {
  switch (value.form) {
    case form::ref1:
    case form::ref2:
    case form::ref4:
    case form::ref8:
    case form::ref_udata:
      if (value.raw < from.end - from.offset) return from.offset + value.raw;
      return {};
    case form::ref_addr:
      return value.raw;
    default:
      return {};
  }
}

Entry entry_at_place(const UnitList& units, const Unit& from, u64 place) {
  if (place >= from.offset && place < from.end) return entry_at(from, place);
  const Unit* unit = units.at(place);
  return unit && unit->usable ? entry_at(*unit, place) : Entry{};
}

FunctionInfo function_info(const UnitList& units, const Entry& entry) {
  Chain chain(units, entry);
  std::optional<std::string_view> linkage, name;
  bool linkage_seen = false, name_seen = false, line_seen = false;
  FunctionInfo info;
  while (const Facts* facts = chain.next()) {
    if (Value v = facts->mips_name ? facts->mips_name : facts->linkage_name; v && !linkage_seen) {
      linkage_seen = true;
      linkage = as_text(*facts->unit, v);
    }
    if (facts->name && !name_seen) {
      name_seen = true;
      name = as_text(*facts->unit, facts->name);
    }
    if (facts->line && !line_seen) {
      line_seen = true;
      info.line = static_cast<u32>(as_constant(facts->line).value_or(0));
    }
  }
  info.name = linkage ? *linkage : name.value_or("");
  return info;
}

}  // namespace pgokit::dwarf
