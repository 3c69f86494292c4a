#pragma once

// One pass over the entries of a unit, stepping over those nobody wants.
//
//   EntryScanner(unit).run([](const Abbrev& a) { return a.tag == tag::subprogram; },
//                         [&](const Entry& entry, u64 offset, Nesting nesting) { ... });
//
// Ends, without a word, where an entry cannot be read: what came before counts, as in LLVM.

#include <algorithm>

#include "dwarf/unit.h"

namespace pgokit::dwarf {

// How deep an entry is, and the depth that all entries since the last one given were at or below:
// given entries of `open` or deeper have ended.
struct Nesting {
  u32 depth = 0, open = 0;
};

class EntryScanner {
 public:
  explicit EntryScanner(const Unit& unit) : EntryScanner(unit, unit.entries) {}
  // Only the entry at `first` and those below.
  EntryScanner(const Unit& unit, u64 first)
      : unit_(unit),
        table_(unit.abbrevs->get()),
        base_(unit.sections->info.data()),
        size_(unit.sections->info.size()),
        end_(unit.end),
        at_(first) {}

  template <class Wanted, class Each>
  void run(Wanted&& wanted, Each&& each) {
    u32 depth = 0, open = ~u32{0};
    while (at_ < end_) {
      u64 start = at_;
      u64 code = leb();
      if (code == 0) {
        if (depth <= 1) return;
        open = std::min(open, --depth);
        continue;
      }
      const Abbrev* abbrev = table_.find(code);
      if (!abbrev) [[unlikely]]
        return;
      if (wanted(*abbrev)) {
        each(Entry{&unit_, abbrev, at_}, start, Nesting{depth, std::min(open, depth)});
        open = ~u32{0};
      }
      if (!skip(*abbrev)) [[unlikely]]
        return;
      if (abbrev->has_children)
        ++depth;
      else if (depth == 0)
        return;  // nothing below
    }
  }

 private:
  bool skip(const Abbrev& abbrev) {
    for (const SkipStep* step = table_.steps(abbrev);; ++step) {
      at_ += step->bytes();
      if (step->kind() == SkipStep::done) [[likely]]
        return at_ <= size_;
      if (!skip_variable(*step, abbrev)) [[unlikely]]
        return false;
    }
  }

  bool skip_variable(SkipStep step, const Abbrev& abbrev);

  // Past the end of the section it is 0.
  u64 leb() {
    if (at_ < size_ && base_[at_] < 0x80) [[likely]]
      return base_[at_++];
    return long_leb();
  }
  u64 long_leb();

  const Unit& unit_;
  const AbbrevTable& table_;
  const u8* base_;
  u64 size_, end_, at_;
};

}  // namespace pgokit::dwarf
