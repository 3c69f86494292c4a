#pragma once

// What DebugInfo holds: the units of the program, an index of their addresses, and what has been
// read of each unit so far. All of it may be asked from several threads.

#include <atomic>
#include <map>
#include <mutex>

#include "dwarf/debug_info.h"
#include "dwarf/inline_index.h"
#include "dwarf/line_table.h"
#include "dwarf/split.h"
#include "dwarf/unit_functions.h"

namespace pgokit::dwarf {

// The unit that holds a compile unit's entries (itself, or one split off) and its neighbours.
struct UnitBody {
  const Unit* unit = nullptr;
  const UnitList* neighbours = nullptr;
};

struct DebugInfo::State {
  explicit State(const Options& o) : options(o), list(units) {}

  Status load(const object::File& file);

  UnitBody body(u32 unit) const;
  const UnitFunctions& functions(u32 unit) const;
  // Of one function, or of all in the unit.
  const InlineIndex& inlines(u32 unit, u32 function) const;
  const InlineIndex& inlines(u32 unit) const;
  // One that is not kept here.
  std::unique_ptr<const InlineIndex> read_inlines(u32 unit, u32 function) const;
  // nullptr for a unit without line table.
  const LineTable* lines(u32 unit) const;
  // The same for as long as somebody has it.
  std::shared_ptr<const LineTable> shared_lines(u32 unit) const;
  bool is_split_off(const Unit& unit) const { return unit.dwo_id && !unit.dwo_name.empty(); }

  Options options;
  EntryNames entry_names;
  Sections sections;
  AbbrevTables abbrevs;
  std::deque<Unit> units;
  UnitList list;
  UnitRanges ranges;
  u64 broken_units = 0;

 private:
  struct LazyUnit {
    std::once_flag split_once, functions_once, inlines_once;
    std::unique_ptr<Unit> split;
    const UnitList* split_neighbours = nullptr;
    UnitFunctions functions;
    InlineIndex inlines;
    // By function; made by whoever comes first, kept in `made`.
    std::unique_ptr<std::atomic<const InlineIndex*>[]> by_function;
    std::mutex made_mutex;
    std::vector<std::unique_ptr<const InlineIndex>> made;
  };
  struct LazyLines {
    u64 end = 0;  // where the next table begins
    std::once_flag once;
    LineTable table;
    std::mutex sharing;
    std::weak_ptr<const LineTable> shared;
  };
  struct LazyFile {
    std::once_flag once;
    std::unique_ptr<SplitFile> file;
  };

  void index_lines();
  void index_ranges();
  void open_package();
  void find_split(const Unit& skeleton, LazyUnit& lazy) const;
  SplitFile* split_file(const std::string& path) const;

  std::unique_ptr<SplitFile> package_;
  mutable std::deque<LazyUnit> lazy_units_;
  mutable std::map<u64, LazyLines> lazy_lines_;
  mutable std::mutex files_mutex_;
  mutable std::map<std::string, LazyFile> files_;
};

}  // namespace pgokit::dwarf
