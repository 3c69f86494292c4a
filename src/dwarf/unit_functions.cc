#include "dwarf/unit_functions.h"

#include <algorithm>

#include "dwarf/constants.h"
#include "dwarf/scan.h"

namespace pgokit::dwarf {
namespace {

// Functions in functions are rare, and reading one reads all that are in it.
constexpr size_t deepest = 8;

}  // namespace

class UnitFunctions::Reader {
 public:
  Reader(UnitFunctions& out, const Unit& unit, const UnitList& neighbours)
      : out_(out),
        unit_(unit),
        neighbours_(neighbours),
        reader_(range_limit(unit.offset, unit.end)) {}

  void add(const Entry& entry, u64 offset, Nesting nesting) {
    close(nesting.open, offset);
    CodeAttributes code;
    for_each_attribute(entry, [&](u16 attribute, Value value) { code.see(attribute, value); });
    found_.clear();
    reader_.read(unit_, code, found_);
    std::erase_if(found_, [](Range r) { return r.end <= r.begin; });
    if (found_.empty()) return;
    auto id = static_cast<u32>(out_.functions_.size());
    for (auto range : found_) out_.ranges_.push_back({range, id});
    out_.functions_.push_back(
        {function_info(neighbours_, entry).name, offset, unit_.end, open_.size() >= deepest});
    open_.push_back({nesting.depth, id});
  }

  void close(u32 depth, u64 offset) {
    for (; !open_.empty() && open_.back().depth >= depth; open_.pop_back())
      out_.functions_[open_.back().function].end = offset;
  }

 private:
  struct Open {
    u32 depth, function;
  };

  UnitFunctions& out_;
  const Unit& unit_;
  const UnitList& neighbours_;
  RangeReader reader_;
  std::vector<Range> found_;
  std::vector<Open> open_;
};

UnitFunctions UnitFunctions::read(const Unit& unit, const UnitList& neighbours) {
  UnitFunctions result;
  if (!unit.usable || unit.is_type()) return result;
  Reader reader(result, unit, neighbours);
  auto wanted = [](const Abbrev& abbrev) {
    return abbrev.tag == tag::subprogram && abbrev.has_code;
  };
  EntryScanner(unit).run(wanted, [&](const Entry& entry, u64 offset, Nesting nesting) {
    reader.add(entry, offset, nesting);
  });
  result.build_parts();
  return result;
}

void UnitFunctions::build_parts() {
  auto sorted = ranges_;
  std::ranges::sort(sorted, {}, [](const Placed& p) { return p.range.begin; });
  for (const auto& [range, function] : sorted) {
    Kind kind = functions_[function].deeply_nested ? many : one;
    if (!parts_.empty() && range.begin < parts_.back().range.end) {
      auto& part = parts_.back();
      part.range.end = std::max(part.range.end, range.end);
      part.kind = many;
    } else {
      parts_.push_back({range, kind, function});
    }
  }
}

UnitFunctions::Part UnitFunctions::find(u64 address) const {
  auto next = std::ranges::upper_bound(parts_, address, {},
                                       [](const Part& part) { return part.range.begin; });
  u64 before = next == parts_.begin() ? 0 : std::prev(next)->range.end;
  if (next != parts_.begin() && address < before) return *std::prev(next);
  u64 after = next == parts_.end() ? ~u64{0} : next->range.begin;
  return {{before, after}, nothing, 0};
}

}  // namespace pgokit::dwarf
