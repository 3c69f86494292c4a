#pragma once

// Files with split units: a .dwo with usually one unit, or a package (.dwp) of many.

#include <memory>
#include <string>

#include "base/file.h"
#include "dwarf/names.h"

namespace pgokit::dwarf {

class SplitFile {
 public:
  static Result<std::unique_ptr<SplitFile>> open(const std::string& path);
  // `image` must outlive the result.
  static Result<std::unique_ptr<SplitFile>> read(Bytes image);
  SplitFile(const SplitFile&) = delete;
  SplitFile& operator=(const SplitFile&) = delete;

  // The unit that was split off from this one; nothing if it is not here. It is a copy, the
  // skeleton's own; what it refers to lives as long as the file.
  std::unique_ptr<Unit> find(const Unit& skeleton) const;
  const UnitList& units() const { return list_; }
  const std::deque<Unit>& all_units() const { return units_; }

 private:
  SplitFile() : list_(units_) {}
  Status load(Bytes image);
  bool read_package_index();
  void add_unit_ids();

  std::optional<MappedFile> file_;
  std::unique_ptr<object::File> elf_;
  Sections sections_;
  AbbrevTables abbrevs_;
  std::deque<Unit> units_;
  UnitList list_;
  tsl::robin_map<u64, u32> by_id_;  // position in units_
};

}  // namespace pgokit::dwarf
