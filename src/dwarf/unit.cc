#include "dwarf/unit.h"

#include <algorithm>
#include <utility>

#include "dwarf/constants.h"

namespace pgokit::dwarf {
namespace {

Cursor cursor_at(Bytes section, u64 offset) {
  return Cursor(section.subspan(std::min<u64>(offset, section.size())));
}

u64 get_number(Cursor& in, unsigned size) {
  switch (size) {
    case 1:
      return in.get<u8>();
    case 2:
      return in.get<u16>();
    case 3: {
      u64 low = in.get<u16>();
      return low | u64{in.get<u8>()} << 16;
    }
    case 4:
      return in.get<u32>();
    case 8:
      return in.get<u64>();
    default:
      in.skip(size);
      return 0;
  }
}

// A number of 4 or 8 bytes at base + index * size.
std::optional<u64> table_entry(Bytes section, u64 base, u64 index, unsigned size) {
  if (base > section.size() || index >= (section.size() - base) / size) return {};
  Cursor in(section.subspan(base + index * size));
  return get_number(in, size);
}

std::optional<std::string_view> text_at(Bytes section, u64 offset) {
  Cursor in = cursor_at(section, offset);
  auto text = in.cstring();
  if (!in.ok()) return {};
  return text;
}

bool is_index_of_text(u16 f) {
  return f == form::strx || (f >= form::strx1 && f <= form::strx4) || f == form::gnu_str_index;
}

bool is_index_of_address(u16 f) {
  return f == form::addrx || (f >= form::addrx1 && f <= form::addrx4) || f == form::gnu_addr_index;
}

bool plausible(const Unit& unit) {
  return unit.sizes.version >= 2 && unit.sizes.version <= 5 &&
         (unit.sizes.address == 4 || unit.sizes.address == 8);
}

u64 header_size_of_lists(const Unit& unit) { return unit.sizes.offset == 8 ? 20 : 12; }

}  // namespace

namespace {

// A unit takes hundreds of bytes here and may have twelve in the file. Of compilers units have
// kilobytes, or some fifty bytes where their contents are split off.
u64 most_units(u64 section) { return 100'000 + section / 256; }

// unit_length | version u16 | v5: type u8, address size u8, abbrevs | before: abbrevs, address size
// then in v5 the id of a skeleton or split unit (u64), or the signature and place of a type.
std::optional<Unit> read_unit_at(const Sections& sections, u64 offset) {
  Unit unit;
  unit.sections = unit.address_sections = &sections;
  unit.offset = offset;
  Cursor in = cursor_at(sections.info, offset);
  u64 length = in.get<u32>();
  unit.sizes.offset = 4;
  if (length == 0xffffffff) {
    length = in.get<u64>();
    unit.sizes.offset = 8;
  }
  if (!in.ok() || length > in.left()) return {};
  unit.end = offset + in.position() + length;
  unit.sizes.version = in.get<u16>();
  if (unit.sizes.version >= 5) {
    unit.type = in.get<u8>();
    unit.sizes.address = in.get<u8>();
    unit.abbrev_offset = get_number(in, unit.sizes.offset);
    if (unit.is_type())
      in.skip(8 + unit.sizes.offset);
    else if (unit.type == unit_type::skeleton || unit.type == unit_type::split_compile)
      unit.dwo_id = in.get<u64>();
  } else {
    unit.abbrev_offset = get_number(in, unit.sizes.offset);
    unit.sizes.address = in.get<u8>();
    unit.type = unit_type::compile;
  }
  unit.entries = std::min(offset + in.position(), unit.end);
  if (!in.ok()) unit.entries = unit.end;
  return unit;
}

}  // namespace

std::deque<Unit> read_units(const Sections& sections, u64& broken) {
  std::deque<Unit> units;
  bool padding = false;  // of a file with holes all of it may be: that is one fault, not millions
  for (u64 at = 0; at < sections.info.size();) {
    auto unit = read_unit_at(sections, at);
    if (!unit || unit->end <= at) {
      ++broken;
      break;
    }
    at = unit->end;
    bool has_entries = unit->entries < unit->end && sections.info[unit->entries] != 0;
    if (!has_entries) {
      broken += !std::exchange(padding, true);
      continue;
    }
    padding = false;
    if (units.size() == most_units(sections.info.size())) {
      ++broken;
      break;
    }
    unit->index = static_cast<u32>(units.size());
    units.push_back(*unit);
  }
  return units;
}

void assign_abbrevs(std::deque<Unit>& units, AbbrevTables& tables) {
  std::vector<AbbrevTables::Use> uses;
  uses.reserve(units.size());
  for (const auto& unit : units) uses.push_back({unit.abbrev_offset, unit.sizes});
  if (units.empty()) return;
  auto slots = tables.add(units.front().sections->abbrev, uses);
  for (size_t i = 0; i < units.size(); ++i) units[i].abbrevs = slots[i];
}

void read_unit_entry(Unit& unit) {
  if (!plausible(unit)) return;
  Entry entry = entry_at(unit, unit.entries);
  if (!entry) return;
  unit.usable = true;

  Value low, entry_pc, line, language, dir, producer, dwo_name, dwo_id;
  Value address_base, gnu_address_base, str_base, rnglists_base, gnu_ranges_base;
  for_each_attribute(entry, [&](u16 attribute, Value value) {
    auto keep = [&](Value& where) {
      if (!where) where = value;
    };
    switch (attribute) {
      case attr::low_pc:
        return keep(low);
      case attr::entry_pc:
        return keep(entry_pc);
      case attr::stmt_list:
        return keep(line);
      case attr::language:
        return keep(language);
      case attr::comp_dir:
        return keep(dir);
      case attr::producer:
        return keep(producer);
      case attr::dwo_name:
        return keep(dwo_name);
      case attr::gnu_dwo_name:
        if (unit.sizes.version < 5) dwo_name = value;
        return;
      case attr::gnu_dwo_id:
        return keep(dwo_id);
      case attr::addr_base:
        return keep(address_base);
      case attr::gnu_addr_base:
        return keep(gnu_address_base);
      case attr::str_offsets_base:
        return keep(str_base);
      case attr::rnglists_base:
        return keep(rnglists_base);
      case attr::gnu_ranges_base:
        return keep(gnu_ranges_base);
      default:
        return;
    }
  });

  if (auto id = as_constant(dwo_id)) unit.dwo_id = id;
  unit.language = as_constant(language).value_or(0);
  unit.address_base = as_section_offset(address_base);
  if (!unit.address_base) unit.address_base = as_section_offset(gnu_address_base);
  unit.str_offsets_base = as_section_offset(str_base).value_or(0);
  unit.rnglists_base = as_section_offset(rnglists_base).value_or(header_size_of_lists(unit));
  // Does not hold for the unit itself, only for what is split off from it.
  unit.ranges_base = as_section_offset(gnu_ranges_base).value_or(0);
  unit.low_pc = as_address(unit, low ? low : entry_pc);
  unit.line_offset = as_section_offset(line);
  unit.comp_dir = as_text(unit, dir).value_or("");
  unit.producer = as_text(unit, producer).value_or("");
  unit.dwo_name = as_text(unit, dwo_name).value_or("");
}

// From version 5 on the tables begin with a header of their own.
void prepare_split_unit(Unit& unit, u64 str_offsets, u64 rnglists) {
  unit.usable = plausible(unit);
  bool headers = unit.sizes.version >= 5;
  unit.str_offsets_base = str_offsets + (headers ? (unit.sizes.offset == 8 ? 16 : 8) : 0);
  unit.rnglists_base = rnglists + (headers ? header_size_of_lists(unit) : 0);
}

void attach_skeleton(Unit& unit, const Unit& skeleton) {
  unit.skeleton = &skeleton;
  unit.index = skeleton.index;
  unit.address_sections = skeleton.sections;
  unit.address_base = skeleton.address_base;
  unit.low_pc = skeleton.low_pc;
  if (unit.sizes.version < 5) unit.ranges_base = skeleton.ranges_base;
}

Entry entry_at(const Unit& unit, u64 offset) {
  if (offset < unit.entries || offset >= unit.end || !unit.abbrevs) return {};
  Cursor in = cursor_at(unit.sections->info, offset);
  const Abbrev* abbrev = unit.abbrevs->get().find(in.uleb128());
  if (!in.ok()) return {};
  return {&unit, abbrev, offset + in.position()};
}

bool read_value(Cursor& in, const Unit& unit, AttributeSpec spec, i64 constant, Value& value) {
  u16 f = spec.form;
  for (unsigned levels = 0; f == form::indirect; ++levels) {
    f = static_cast<u16>(std::min<u64>(in.uleb128(), 0xffff));
    if (levels > 4) return false;
  }
  value.form = f;
  value.raw = 0;
  if (int size = fixed_size(f, unit.sizes); size >= 0) {
    if (f == form::implicit_const)
      value.raw = static_cast<u64>(constant);
    else if (f == form::flag_present)
      value.raw = 1;
    else
      value.raw = get_number(in, static_cast<unsigned>(size));
    return in.ok();
  }
  auto block = [&](u64 size) {
    value.raw = static_cast<u64>(in.rest().data() - unit.sections->info.data());
    in.skip(size);
  };
  switch (f) {
    case form::udata:
    case form::ref_udata:
    case form::strx:
    case form::addrx:
    case form::loclistx:
    case form::rnglistx:
    case form::gnu_addr_index:
    case form::gnu_str_index:
      value.raw = in.uleb128();
      break;
    case form::sdata:
      value.raw = static_cast<u64>(in.sleb128());
      break;
    case form::string:
      value.raw = static_cast<u64>(in.rest().data() - unit.sections->info.data());
      in.cstring();
      break;
    case form::block1:
      block(in.get<u8>());
      break;
    case form::block2:
      block(in.get<u16>());
      break;
    case form::block4:
      block(in.get<u32>());
      break;
    case form::block:
    case form::exprloc:
      block(in.uleb128());
      break;
    case form::llvm_addrx_offset:
      if (auto base = indexed_address(unit, in.uleb128())) {
        value.raw = *base + in.get<u32>();
        value.form = form::addr;
      } else {
        in.skip(4);
      }
      break;
    default:
      return false;
  }
  return in.ok();
}

Value find(const Entry& entry, std::initializer_list<u16> attributes) {
  Value best;
  auto rank = attributes.size();
  for_each_attribute(entry, [&](u16 attribute, Value value) {
    for (size_t i = 0; i < rank; ++i) {
      if (attributes.begin()[i] != attribute) continue;
      best = value;
      rank = i;
    }
  });
  return best;
}

std::optional<u64> as_constant(Value value) {
  switch (value.form) {
    case form::data1:
    case form::data2:
    case form::data4:
    case form::data8:
    case form::udata:
    case form::implicit_const:
    case form::flag:
    case form::flag_present:
      return value.raw;
    default:
      return {};
  }
}

std::optional<u64> as_section_offset(Value value) {
  switch (value.form) {
    case form::sec_offset:
    case form::data4:
    case form::data8:
    case form::rnglistx:
      return value.raw;
    default:
      return {};
  }
}

std::optional<u64> indexed_address(const Unit& unit, u64 index) {
  if (!unit.address_base) return {};
  return table_entry(unit.address_sections->addr, *unit.address_base, index, unit.sizes.address);
}

std::optional<u64> as_address(const Unit& unit, Value value) {
  if (value.form == form::addr) return value.raw;
  if (is_index_of_address(value.form)) return indexed_address(unit, value.raw);
  return {};
}

std::optional<u64> as_fixed_place(const Unit& unit, Value value) {
  if (value.form != form::exprloc && value.form != form::block1) return {};
  Cursor in = cursor_at(unit.sections->info, value.raw);
  u8 op = in.get<u8>();
  u64 operand = op == expression_op::addr ? get_number(in, unit.sizes.address) : in.uleb128();
  if (!in.ok()) return {};
  if (op == expression_op::addr) return operand;
  if (op != expression_op::addrx && op != expression_op::gnu_addr_index) return {};
  return indexed_address(unit, operand);
}

std::optional<std::string_view> as_text(const Unit& unit, Value value) {
  const Sections& s = *unit.sections;
  if (value.form == form::strp) return text_at(s.str, value.raw);
  if (value.form == form::line_strp) return text_at(unit.address_sections->line_str, value.raw);
  if (value.form == form::string) return text_at(s.info, value.raw);
  if (!is_index_of_text(value.form)) return {};
  auto offset = table_entry(s.str_offsets, unit.str_offsets_base, value.raw, unit.sizes.offset);
  if (!offset) return {};
  return text_at(s.str, *offset);
}

}  // namespace pgokit::dwarf
