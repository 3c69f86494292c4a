#include "dwarf/debug_info.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/parallel.h"
#include "dwarf/state.h"

namespace pgokit::dwarf {
namespace {

// Facts about discriminators and names come from so many units.
constexpr size_t units_sampled = 8;

std::vector<FunctionRange> list_functions(const UnitFunctions& unit, u32 index) {
  std::vector<FunctionRange> list;
  list.reserve(unit.ranges().size());
  for (const auto& [range, id] : unit.ranges()) {
    const auto& function = unit.functions()[id];
    if (!function.name.empty())
      list.push_back({function.name, range.begin, range.end, index, function.begin});
  }
  return list;
}

// So that no thread is left alone with a large unit at the end.
std::vector<u32> largest_first(const std::deque<Unit>& units) {
  std::vector<u32> order(units.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](u32 index) { return units[index].end - units[index].entries; });
  return order;
}

}  // namespace

DebugInfo::DebugInfo(std::unique_ptr<State> state) : state_(std::move(state)) {}
DebugInfo::DebugInfo(DebugInfo&&) noexcept = default;
DebugInfo& DebugInfo::operator=(DebugInfo&&) noexcept = default;
DebugInfo::~DebugInfo() = default;

Result<DebugInfo> DebugInfo::load(const object::File& file, const Options& options) {
  auto state = std::make_unique<State>(options);
  TRY(state->load(file));
  return DebugInfo(std::move(state));
}

void DebugInfo::set_entry_names(EntryNames names) { state_->entry_names = std::move(names); }

std::vector<FunctionRange> DebugInfo::functions() const {
  const auto& units = state_->units;
  size_t count = units.size();
  // The skeletons first, then what was split off from them.
  std::vector<std::vector<FunctionRange>> found(2 * count);
  auto order = largest_first(units);
  parallel_for(2 * count, state_->options.threads, [&](size_t turn, unsigned) {
    size_t piece = turn < count ? order[turn] : count + order[turn - count];
    auto index = static_cast<u32>(piece % count);
    const Unit& unit = units[index];
    bool own = state_->body(index).unit == &unit;
    if (piece >= count) {
      if (!own) found[piece] = list_functions(state_->functions(index), index);
    } else if (own) {
      found[piece] = list_functions(state_->functions(index), index);
    } else {
      found[piece] = list_functions(UnitFunctions::read(unit, state_->list), index);
    }
  });
  size_t total = 0;
  for (const auto& some : found) total += some.size();
  std::vector<FunctionRange> all;
  all.reserve(total);
  for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::string DebugInfo::file_name(const FramePart& part, const Frame& frame) const {
  if (part.unit >= state_->units.size()) return {};
  const LineTable* lines = state_->lines(part.unit);
  return lines ? lines->file_name(frame.file, state_->units[part.unit].comp_dir) : std::string{};
}

std::string_view DebugInfo::unit_name(u32 unit) const {
  if (unit >= state_->units.size() || !state_->units[unit].usable) return {};
  const Unit& own = state_->units[unit];
  const Unit& body = state_->is_split_off(own) ? *state_->body(unit).unit : own;
  const Entry entry = entry_at(body, body.entries);
  Value name;
  if (entry)
    for_each_attribute(entry, [&](u16 attribute, Value value) {
      if (attribute == attr::name && !name) name = value;
    });
  return as_text(body, name).value_or("");
}

// Assemblers are left out: a unit of assembly code comes first in many a program.
std::string_view DebugInfo::producer() const {
  std::map<std::string_view, u64> units;
  for (const Unit& unit : state_->units)
    if (unit.usable && !unit.producer.empty() && !unit.producer.starts_with("GNU AS"))
      ++units[unit.producer];
  auto most = std::ranges::max_element(units, {}, [](const auto& one) { return one.second; });
  return most == units.end() ? std::string_view() : most->first;
}

std::optional<bool> DebugInfo::has_cplusplus() const {
  constexpr u64 versions[] = {0x04, 0x19, 0x1a, 0x21, 0x2a, 0x2b, 0x3a};  // C++98 to 23
  bool told = false;
  for (const Unit& unit : state_->units) {
    if (!unit.usable || unit.language == 0) continue;
    if (std::ranges::count(versions, unit.language) > 0) return true;
    told = true;
  }
  return told ? std::optional(false) : std::nullopt;
}

Facts DebugInfo::facts() const {
  Facts facts;
  facts.broken_units = state_->broken_units;
  size_t sampled = 0;
  for (const Unit& unit : state_->units) {
    if (!unit.usable || unit.is_type()) continue;
    ++facts.units;
    unsigned version = unit.sizes.version;
    facts.lowest_version = facts.lowest_version ? std::min(facts.lowest_version, version) : version;
    facts.highest_version = std::max(facts.highest_version, version);
    facts.line_table_units += unit.line_offset.has_value();
    UnitBody body{&unit, &state_->list};
    if (state_->is_split_off(unit)) {
      ++facts.split_units;
      body = state_->body(unit.index);
      if (body.unit == &unit && facts.missing_dwo++ == 0) facts.first_missing_dwo = unit.dwo_name;
    }
    if (unit.line_offset && sampled++ < units_sampled) {
      facts.linkage_names |= body.unit->abbrevs->get().has_linkage_names();
      const LineTable* lines = state_->lines(unit.index);
      facts.discriminators |= lines && lines->has_discriminators();
    }
  }
  return facts;
}

}  // namespace pgokit::dwarf
