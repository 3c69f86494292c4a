#include "dwarf/state.h"

#include <algorithm>

#include "base/parallel.h"

namespace pgokit::dwarf {

Status DebugInfo::State::load(const object::File& file) {
  sections = TRY(Sections::of_program(file));
  if (sections.info.empty())
    return fail("no debug information (.debug_info): compile with -g1 or -g");
  units = read_units(sections, broken_units);
  assign_abbrevs(units, abbrevs);
  parallel_for(units.size(), options.threads,
               [&](size_t i, unsigned) { read_unit_entry(units[i]); });
  for (size_t i = 0; i < units.size(); ++i) {
    lazy_units_.emplace_back();
    broken_units += !units[i].usable;
  }
  index_ranges();
  index_lines();
  open_package();
  return {};
}

void DebugInfo::State::index_ranges() {
  std::vector<u8> covered(units.size());
  for (const auto& set : read_aranges(sections.aranges)) {
    const Unit* unit = list.at(set.unit_offset);
    if (!unit) continue;
    covered[unit->index] = true;
    ranges.add(unit->index, set.ranges);
  }
  // Lists of units are disjoint: as many entries as the sections hold, of 8 bytes and of one.
  RangeReader reader(units.size() + sections.ranges.size() / 8 + sections.rnglists.size());
  std::vector<Range> found;
  for (const auto& unit : units) {
    if (!unit.usable || unit.is_type() || covered[unit.index]) continue;
    CodeAttributes code;
    for_each_attribute(entry_at(unit, unit.entries),
                       [&](u16 attribute, Value value) { code.see(attribute, value); });
    found.clear();
    reader.read(unit, code, found);
    ranges.add(unit.index, found);
  }
  ranges.build();
}

// Several units may share a table; tables do not overlap.
void DebugInfo::State::index_lines() {
  for (const auto& unit : units)
    if (unit.line_offset && *unit.line_offset < sections.line.size())
      lazy_lines_.try_emplace(*unit.line_offset);
  u64 next = sections.line.size();
  for (auto at = lazy_lines_.rbegin(); at != lazy_lines_.rend(); ++at) {
    at->second.end = next;
    next = at->first;
  }
}

void DebugInfo::State::open_package() {
  if (std::ranges::none_of(units, [&](const Unit& unit) { return is_split_off(unit); })) return;
  std::string path = options.dwp.empty() ? options.path + ".dwp" : options.dwp;
  if (auto file = SplitFile::open(path)) package_ = std::move(*file);
}

SplitFile* DebugInfo::State::split_file(const std::string& path) const {
  LazyFile* lazy = nullptr;
  {
    std::scoped_lock lock(files_mutex_);
    lazy = &files_[path];
  }
  std::call_once(lazy->once, [&] {
    if (auto file = SplitFile::open(path)) lazy->file = std::move(*file);
  });
  return lazy->file.get();
}

void DebugInfo::State::find_split(const Unit& skeleton, LazyUnit& lazy) const {
  SplitFile* file = package_.get();
  if (!file) {
    bool relative = !skeleton.dwo_name.starts_with('/') && !skeleton.comp_dir.empty();
    file = split_file(relative ? fmt::format("{}/{}", skeleton.comp_dir, skeleton.dwo_name)
                               : std::string(skeleton.dwo_name));
  }
  if (!file) return;
  lazy.split = file->find(skeleton);
  lazy.split_neighbours = &file->units();
}

UnitBody DebugInfo::State::body(u32 index) const {
  const Unit& unit = units[index];
  if (is_split_off(unit)) {
    LazyUnit& lazy = lazy_units_[index];
    std::call_once(lazy.split_once, [&] { find_split(unit, lazy); });
    if (lazy.split) return {lazy.split.get(), lazy.split_neighbours};
  }
  return {&unit, &list};
}

const UnitFunctions& DebugInfo::State::functions(u32 index) const {
  LazyUnit& lazy = lazy_units_[index];
  std::call_once(lazy.functions_once, [&] {
    auto [unit, neighbours] = body(index);
    lazy.functions = UnitFunctions::read(*unit, *neighbours);
    if (entry_names) lazy.functions.rename(entry_names);
    size_t count = lazy.functions.functions().size();
    lazy.by_function = std::make_unique<std::atomic<const InlineIndex*>[]>(count);
  });
  return lazy.functions;
}

std::unique_ptr<const InlineIndex> DebugInfo::State::read_inlines(u32 index, u32 function) const {
  auto [unit, neighbours] = body(index);
  const auto& entry = lazy_units_[index].functions.functions()[function];
  return std::make_unique<InlineIndex>(
      InlineIndex::read(*unit, *neighbours, entry.begin, entry.end));
}

const InlineIndex& DebugInfo::State::inlines(u32 index, u32 function) const {
  LazyUnit& lazy = lazy_units_[index];
  auto& slot = lazy.by_function[function];
  const InlineIndex* known = slot.load(std::memory_order_acquire);
  if (known) return *known;
  auto made = read_inlines(index, function);
  std::scoped_lock lock(lazy.made_mutex);
  if (slot.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
    known = lazy.made.emplace_back(std::move(made)).get();
  return *known;
}

const InlineIndex& DebugInfo::State::inlines(u32 index) const {
  LazyUnit& lazy = lazy_units_[index];
  std::call_once(lazy.inlines_once, [&] {
    auto [unit, neighbours] = body(index);
    if (unit->usable)
      lazy.inlines = InlineIndex::read(*unit, *neighbours, unit->entries, unit->end);
  });
  return lazy.inlines;
}

const LineTable* DebugInfo::State::lines(u32 index) const {
  const Unit& unit = units[index];
  auto found = unit.line_offset ? lazy_lines_.find(*unit.line_offset) : lazy_lines_.end();
  if (found == lazy_lines_.end()) return nullptr;
  auto& [begin, lazy] = *found;
  std::call_once(lazy.once, [&] {
    lazy.table = LineTable::read(unit, sections.line.subspan(begin, lazy.end - begin));
  });
  return &lazy.table;
}

std::shared_ptr<const LineTable> DebugInfo::State::shared_lines(u32 index) const {
  const Unit& unit = units[index];
  auto found = unit.line_offset ? lazy_lines_.find(*unit.line_offset) : lazy_lines_.end();
  if (found == lazy_lines_.end()) return nullptr;
  auto& [begin, lazy] = *found;
  std::scoped_lock lock(lazy.sharing);
  auto table = lazy.shared.lock();
  if (table) return table;
  Bytes bytes = sections.line.subspan(begin, lazy.end - begin);
  table = std::make_shared<const LineTable>(LineTable::read(unit, bytes));
  lazy.shared = table;
  return table;
}

}  // namespace pgokit::dwarf
