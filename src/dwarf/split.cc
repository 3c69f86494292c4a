#include "dwarf/split.h"

#include <algorithm>
#include <filesystem>

#include "dwarf/constants.h"

namespace pgokit::dwarf {

Result<std::unique_ptr<SplitFile>> SplitFile::open(const std::string& path) {
  // Debug information may name anything: no waiting for a pipe or a terminal.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return fail("{}: no such file", path);
  auto mapped = TRY(MappedFile::open(path));
  std::unique_ptr<SplitFile> file(new SplitFile());
  file->file_ = std::move(mapped);
  auto status = file->load(file->file_->bytes());
  if (!status) return std::unexpected(std::move(status).error().in(path));
  return file;
}

Result<std::unique_ptr<SplitFile>> SplitFile::read(Bytes image) {
  std::unique_ptr<SplitFile> file(new SplitFile());
  TRY(file->load(image));
  return file;
}

Status SplitFile::load(Bytes image) {
  elf_ = std::make_unique<object::File>(TRY(object::File::parse(image)));
  sections_ = TRY(Sections::of_split(*elf_));
  u64 broken = 0;
  units_ = read_units(sections_, broken);
  for (auto& unit : units_) prepare_split_unit(unit, 0, 0);
  bool package = read_package_index();
  assign_abbrevs(units_, abbrevs_);
  if (!package) add_unit_ids();
  return {};
}

void SplitFile::add_unit_ids() {
  for (auto& unit : units_) {
    if (!unit.dwo_id)
      if (Entry entry = entry_at(unit, unit.entries))
        unit.dwo_id = as_constant(dwarf::find(entry, {attr::gnu_dwo_id}));
    if (unit.dwo_id && !unit.is_type()) by_id_.try_emplace(*unit.dwo_id, unit.index);
  }
}

// version u32 (5: u16 and padding) | columns u32 | units u32 | slots u32 |
// signatures u64[slots] | rows u32[slots], from 1 | column kinds u32[columns] |
// offsets u32[units][columns] | sizes u32[units][columns]
bool SplitFile::read_package_index() {
  Cursor in(sections_.index);
  u32 version = in.get<u32>(), columns = in.get<u32>(), rows = in.get<u32>(), slots = in.get<u32>();
  if (!in.ok() || (version != 2 && version != 5)) return false;
  auto signatures = in.array<Le<u64>>(slots);
  auto row_of_slot = in.array<Le<u32>>(slots);
  auto kinds = in.array<Le<u32>>(columns);
  auto offsets = in.array<Le<u32>>(u64{rows} * columns);
  if (!in.ok()) return false;
  constexpr u32 absent = ~u32{0};
  auto column_of = [&](u32 kind) {
    auto found = std::ranges::find(kinds, kind, [](Le<u32> k) { return u32{k}; });
    return found == kinds.end() ? absent : static_cast<u32>(found - kinds.begin());
  };
  u32 info = column_of(column::info), abbrev = column_of(column::abbrev),
      strings = column_of(column::str_offsets),
      lists = version == 5 ? column_of(column::rnglists) : absent;
  if (info == absent || abbrev == absent) return true;

  for (u32 slot = 0; slot < slots; ++slot) {
    u32 row = row_of_slot[slot];
    if (row == 0 || row > rows) continue;
    auto offset = [&](u32 which) -> u64 {
      return which == absent ? 0 : u32{offsets[u64{row - 1} * columns + which]};
    };
    auto unit = std::ranges::lower_bound(units_, offset(info), {}, &Unit::offset);
    if (unit == units_.end() || unit->offset != offset(info)) continue;
    unit->abbrev_offset = offset(abbrev);
    prepare_split_unit(*unit, offset(strings), offset(lists));
    by_id_.try_emplace(signatures[slot], unit->index);
  }
  return true;
}

std::unique_ptr<Unit> SplitFile::find(const Unit& skeleton) const {
  if (!skeleton.dwo_id) return nullptr;
  auto found = by_id_.find(*skeleton.dwo_id);
  if (found == by_id_.end() || !units_[found->second].usable) return nullptr;
  auto unit = std::make_unique<Unit>(units_[found->second]);
  attach_skeleton(*unit, skeleton);
  return unit;
}

}  // namespace pgokit::dwarf
