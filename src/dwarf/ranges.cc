#include "dwarf/ranges.h"

#include <algorithm>
#include <map>
#include <optional>

#include "dwarf/constants.h"

namespace pgokit::dwarf {
namespace {

u64 get_address(Cursor& in, unsigned size) { return size == 4 ? in.get<u32>() : in.get<u64>(); }

// What a linker writes for an address in code that it removed.
u64 tombstone(const Unit& unit) { return unit.sizes.address == 4 ? 0xffffffff : ~u64{0}; }

// The place of list `index`, by the table of offsets at the unit's base.
std::optional<u64> list_offset(const Unit& unit, u64 index) {
  Bytes section = unit.sections->rnglists;
  u64 base = unit.rnglists_base;
  unsigned size = unit.sizes.offset;
  if (base < 4 || base > section.size()) return {};
  u32 count = Cursor(section.subspan(base - 4)).get<u32>();
  if (index >= count || index >= (section.size() - base) / size) return {};
  Cursor in(section.subspan(base + index * size));
  return base + (size == 8 ? in.get<u64>() : in.get<u32>());
}

}  // namespace

void CodeAttributes::see(u16 attribute, Value value) {
  if (attribute == attr::low_pc && !low) low = value;
  if (attribute == attr::high_pc && !high) high = value;
  if (attribute == attr::ranges && !ranges) ranges = value;
}

void RangeReader::read(const Unit& unit, const CodeAttributes& code, std::vector<Range>& out) {
  if (auto low = as_address(unit, code.low); low && *low != tombstone(unit)) {
    auto high = as_address(unit, code.high);
    if (auto size = as_constant(code.high); !high && size) high = *low + *size;
    if (high) return out.push_back({*low, *high});
  }
  auto offset = as_section_offset(code.ranges);
  if (!offset) return;
  size_t before = out.size();
  bool good = false;
  if (unit.sizes.version < 5) {
    good = read_old_list(unit, *offset, out);
  } else if (code.ranges.form != form::rnglistx) {
    good = read_list(unit, *offset, out);
  } else if (auto place = list_offset(unit, *offset)) {
    good = read_list(unit, *place, out);
  }
  if (!good) out.resize(before);
}

bool RangeReader::take() {
  if (left_ == 0) return false;
  --left_;
  return true;
}

// .debug_ranges: pairs of addresses relative to a base, (0, 0) ends, (all ones, base) sets the
// base.
bool RangeReader::read_old_list(const Unit& unit, u64 offset, std::vector<Range>& out) {
  Bytes section = unit.address_sections->ranges;
  offset += unit.is_split() ? unit.ranges_base : 0;
  if (offset > section.size()) return false;
  Cursor in(section.subspan(offset));
  u64 select_base = tombstone(unit), removed = tombstone(unit) - 1;
  std::optional<u64> base = unit.low_pc;
  while (take()) {
    u64 begin = get_address(in, unit.sizes.address), end = get_address(in, unit.sizes.address);
    if (!in.ok()) return false;
    if (begin == 0 && end == 0) return true;
    if (begin == select_base) {
      base = end;
      continue;
    }
    if (begin == removed || base == removed) continue;
    out.push_back({begin + base.value_or(0), end + base.value_or(0)});
  }
  return false;
}

bool RangeReader::read_list(const Unit& unit, u64 offset, std::vector<Range>& out) {
  Bytes section = unit.sections->rnglists;
  if (offset > section.size()) return false;
  Cursor in(section.subspan(offset));
  u64 removed = tombstone(unit);
  unsigned size = unit.sizes.address;
  std::optional<u64> base = unit.low_pc;
  auto indexed = [&](u64 index) { return indexed_address(unit, index); };
  auto add = [&](u64 begin, u64 end) {
    if (begin != removed) out.push_back({begin, end});
  };
  while (take()) {
    u8 kind = in.get<u8>();
    switch (kind) {
      case range_entry::end_of_list:
        return in.ok();
      case range_entry::base_addressx: {
        u64 index = in.uleb128();
        base = indexed(index).value_or(index);
        break;
      }
      case range_entry::startx_endx: {
        u64 begin = in.uleb128(), end = in.uleb128();
        add(indexed(begin).value_or(0), indexed(end).value_or(0));
        break;
      }
      case range_entry::startx_length: {
        u64 begin = indexed(in.uleb128()).value_or(0);
        add(begin, begin + in.uleb128());
        break;
      }
      case range_entry::offset_pair: {
        u64 begin = in.uleb128(), end = in.uleb128();
        if (begin != removed && base != removed)
          add(begin + base.value_or(0), end + base.value_or(0));
        break;
      }
      case range_entry::base_address:
        base = get_address(in, size);
        break;
      case range_entry::start_end: {
        u64 begin = get_address(in, size), end = get_address(in, size);
        add(begin, end);
        break;
      }
      case range_entry::start_length: {
        u64 begin = get_address(in, size);
        add(begin, begin + in.uleb128());
        break;
      }
      default:
        return false;
    }
    if (!in.ok()) return false;
  }
  return false;
}

void UnitRanges::add(u32 unit, std::span<const Range> ranges) {
  if (ranges.size() > edges_.capacity()) edges_.reserve(edges_.size() + 2 * ranges.size());
  for (auto range : ranges) {
    if (range.begin >= range.end) continue;
    edges_.push_back({range.begin, unit, true});
    edges_.push_back({range.end, unit, false});
  }
}

void UnitRanges::build() {
  std::ranges::sort(edges_, {}, &Edge::address);
  std::map<u32, u32> open;  // units that claim the addresses from `previous` on, how many times
  u64 previous = 0;
  for (const auto& edge : edges_) {
    if (previous < edge.address && !open.empty()) {
      if (!parts_.empty() && parts_.back().range.end == previous &&
          open.contains(parts_.back().unit))
        parts_.back().range.end = edge.address;
      else
        parts_.push_back({{previous, edge.address}, open.begin()->first});
    }
    if (edge.begins) {
      ++open[edge.unit];
    } else if (auto at = open.find(edge.unit); at != open.end() && --at->second == 0) {
      open.erase(at);
    }
    previous = edge.address;
  }
  edges_ = {};
}

UnitRanges::Part UnitRanges::find(u64 address) const {
  auto next = std::ranges::upper_bound(parts_, address, {},
                                       [](const Part& part) { return part.range.begin; });
  u64 before = next == parts_.begin() ? 0 : std::prev(next)->range.end;
  if (next != parts_.begin() && address < before) return *std::prev(next);
  u64 after = next == parts_.end() ? ~u64{0} : next->range.begin;
  return {{before, after}, none};
}

// length | version u16 | unit | address size u8 | segment size u8 | padding | { address, size }* 0
// 0
std::vector<ArangeSet> read_aranges(Bytes section) {
  std::vector<ArangeSet> sets;
  Cursor in(section);
  while (!in.at_end()) {
    u64 length = in.get<u32>();
    bool wide = length == 0xffffffff;
    if (wide) length = in.get<u64>();
    Bytes bytes = in.bytes(length);
    Cursor set(bytes);
    u16 version = set.get<u16>();
    u64 unit = wide ? set.get<u64>() : set.get<u32>();
    u8 address_size = set.get<u8>(), segment_size = set.get<u8>();
    if (!in.ok() || !set.ok() || version < 2 || version > 5 || segment_size ||
        (address_size != 4 && address_size != 8))
      break;
    size_t header = (wide ? 12 : 4) + set.position(), tuple = 2 * address_size;
    set.skip((tuple - header % tuple) % tuple);
    ArangeSet found{unit, {}};
    bool ended = false;
    while (set.left() >= tuple) {
      u64 begin = get_address(set, address_size), size = get_address(set, address_size);
      ended = begin == 0 && size == 0 && set.at_end();
      if (!ended) found.ranges.push_back({begin, begin + size});
    }
    if (!ended || !set.ok()) break;
    sets.push_back(std::move(found));
  }
  return sets;
}

}  // namespace pgokit::dwarf
