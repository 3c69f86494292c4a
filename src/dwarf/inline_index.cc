#include "dwarf/inline_index.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "dwarf/constants.h"
#include "dwarf/scan.h"

namespace pgokit::dwarf {
namespace {

// Deeper nests of inlined calls than any compiler makes are cut: every look-up walks them.
constexpr size_t deepest = 1024;

}  // namespace

class InlineIndex::Builder {
 public:
  Builder(InlineIndex& index, const UnitList& units, u64 range_limit)
      : index_(index), units_(units), ranges_(range_limit) {}

  void add(const Entry& entry, u64 offset, Nesting nesting) {
    while (!open_.empty() && open_.back().depth >= nesting.open) open_.pop_back();
    if (open_.size() == deepest) return;

    bool inlined = entry.abbrev->tag == tag::inlined_subroutine;
    Scope scope;
    scope.entry = offset;
    if (inlined && !open_.empty()) scope.parent = open_.back().scope;
    CodeAttributes code;
    Value origin;
    bool own_facts = false;
    for_each_attribute(entry, [&](u16 attribute, Value value) {
      switch (attribute) {
        case attr::low_pc:
        case attr::high_pc:
        case attr::ranges:
          return code.see(attribute, value);
        case attr::abstract_origin:
          origin = value;
          return;
        case attr::name:
        case attr::linkage_name:
        case attr::mips_linkage_name:
        case attr::decl_line:
        case attr::specification:
          own_facts = true;
          return;
        case attr::call_line:
          scope.call_line = number(value);
          return;
        case attr::call_column:
          scope.call_column = number(value);
          return;
        case attr::call_file:
          scope.call_file = number(value);
          return;
        case attr::gnu_discriminator:
          scope.call_discriminator = number(value);
          return;
        default:
          return;
      }
    });
    auto id = static_cast<u32>(index_.scopes_.size());
    index_.scopes_.push_back(scope);
    open_.push_back({nesting.depth, id, entry, own_facts ? Value{} : origin});
    found_.clear();
    ranges_.read(*entry.unit, code, found_);
    for (auto range : found_) overlay_.add(range, id);
    if (!found_.empty()) name_open_scopes();
    if (!entry.abbrev->has_children) open_.pop_back();
  }

  void finish() { index_.starts_ = overlay_.build(); }

 private:
  struct Open {
    u32 depth, scope;
    Entry entry;
    Value origin;  // where the name is, if it is not in the entry itself
  };
  static u32 number(Value value) { return static_cast<u32>(as_constant(value).value_or(0)); }

  // Of all functions that are declared, few have code: names are for those and what is around.
  void name_open_scopes() {
    for (size_t i = open_.size(); i-- > 0;) {
      Scope& scope = index_.scopes_[open_[i].scope];
      if (scope.function != none) return;
      scope.function = function_of(open_[i].entry, open_[i].origin);
    }
  }

  // Names are looked up once per function, not once per inlined call.
  u32 function_of(const Entry& entry, Value origin) {
    auto place = referenced_place(*entry.unit, origin);
    auto next = static_cast<u32>(index_.functions_.size());
    auto [at, fresh] = known_.try_emplace(place.value_or(entry.attributes), next);
    if (fresh) {
      Entry target = place ? entry_at_place(units_, *entry.unit, *place) : entry;
      index_.functions_.push_back(target ? function_info(units_, target) : FunctionInfo{});
    }
    return at->second;
  }

  InlineIndex& index_;
  const UnitList& units_;
  RangeReader ranges_;
  std::vector<Range> found_;
  std::vector<Open> open_;
  tsl::robin_map<u64, u32> known_;
  RangeOverlay overlay_;
};

InlineIndex InlineIndex::read(const Unit& unit, const UnitList& units, u64 begin, u64 end) {
  InlineIndex index;
  Builder builder(index, units, range_limit(begin, end));
  auto wanted = [](const Abbrev& abbrev) {
    return abbrev.tag == tag::inlined_subroutine ||
           (abbrev.tag == tag::subprogram && (abbrev.has_code || abbrev.has_children));
  };
  EntryScanner(unit, begin).run(wanted, [&](const Entry& entry, u64 offset, Nesting nesting) {
    builder.add(entry, offset, nesting);
  });
  builder.finish();
  return index;
}

InlineIndex::Part InlineIndex::find(u64 address, size_t& last) const {
  constexpr size_t near = 4;
  auto is_behind = [&](size_t i) { return i >= starts_.size() || starts_[i].address > address; };
  size_t next = last + 1;
  while (next < last + near && !is_behind(next)) ++next;
  if (is_behind(next - 1) || !is_behind(next)) {
    auto found = std::ranges::upper_bound(starts_, address, {}, &RangeOverlay::Start::address);
    next = static_cast<size_t>(found - starts_.begin());
  }
  u64 end = next == starts_.size() ? ~u64{0} : starts_[next].address;
  if (next == 0) return {{0, end}, none};
  last = next - 1;
  return {{starts_[last].address, end}, starts_[last].scope};
}

}  // namespace pgokit::dwarf
