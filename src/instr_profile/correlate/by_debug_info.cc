#include "base/function_name.h"
#include "dwarf/constants.h"
#include "dwarf/scan.h"
#include "dwarf/unit.h"
#include "instr_profile/correlate/collector.h"

namespace pgokit::instr_profile {
namespace {

using dwarf::Entry;
using dwarf::Nesting;
namespace attr = dwarf::attr;
namespace tag = dwarf::tag;

constexpr std::string_view counters_prefix = "__profc_";

// A variable that stands for counters, with what its annotations say.
struct Counters {
  u32 depth = 0;
  u64 offset = 0;
  std::optional<u64> address, hash, number;
  std::optional<std::string_view> function;
  bool function_has_address = false;
};

// The entries of one unit in their order: functions, variables in them, annotations of these.
class UnitReader {
 public:
  UnitReader(const dwarf::Unit& unit, Collector& collector, CorrelationWarnings& warnings)
      : unit_(unit), collector_(collector), warnings_(warnings) {}

  void read() {
    dwarf::EntryScanner(unit_).run(
        [](const dwarf::Abbrev& abbrev) {
          return abbrev.tag == tag::subprogram || abbrev.tag == tag::llvm_annotation ||
                 (abbrev.tag == tag::variable && abbrev.has_children);
        },
        [&](const Entry& entry, u64 offset, Nesting nesting) { take(entry, offset, nesting); });
    finish_counters();
  }

 private:
  void take(const Entry& entry, u64 offset, Nesting nesting) {
    if (counters_ && nesting.open <= counters_->depth) finish_counters();
    if (function_ && nesting.open <= *function_) function_.reset();
    if (entry.abbrev->tag == tag::subprogram) {
      function_ = nesting.depth;
      function_has_address_ = as_address(unit_, find(entry, {attr::low_pc})).has_value();
    } else if (entry.abbrev->tag == tag::variable) {
      take_variable(entry, offset, nesting.depth);
    } else if (counters_ && nesting.depth == counters_->depth + 1) {
      take_annotation(entry);
    }
  }

  void take_variable(const Entry& entry, u64 offset, u32 depth) {
    if (!function_ || depth != *function_ + 1) return;
    auto name = as_text(unit_, find(entry, {attr::name}));
    if (!name || !name->starts_with(counters_prefix)) return;
    counters_ = Counters{.depth = depth,
                         .offset = offset,
                         .address = as_fixed_place(unit_, find(entry, {attr::location})),
                         .hash = {},
                         .number = {},
                         .function = {},
                         .function_has_address = function_has_address_};
  }

  void take_annotation(const Entry& entry) {
    auto name = as_text(unit_, find(entry, {attr::name}));
    auto value = find(entry, {attr::const_value});
    if (!name || !value) return;
    if (*name == "Function Name") counters_->function = as_text(unit_, value);
    if (*name == "CFG Hash") counters_->hash = as_constant(value);
    if (*name == "Num Counters") counters_->number = as_constant(value);
  }

  void finish_counters() {
    if (!counters_) return;
    auto found = *std::exchange(counters_, std::nullopt);
    if (!found.function_has_address && !found.address) return;  // the linker left it out
    if (!found.function || !found.hash || !found.address || !found.number)
      return warnings_.add(
          fmt::format("Incomplete DIE for function {} (offset {:#x}): its hash, counters or their "
                      "number is missing",
                      found.function.value_or("(no name)"), found.offset));
    if (!collector_.is_counter(*found.address))
      return warnings_.add(fmt::format(
          "CounterPtr out of range for function {}: Actual={:#x} Expected=[{:#x}, {:#x})",
          *found.function, *found.address, collector_.counters_begin(), collector_.counters_end()));
    if (!found.function_has_address)
      warnings_.add(fmt::format("Could not find address of function {}", *found.function));
    if (collector_.add(function_guid(*found.function), *found.hash, *found.address,
                       static_cast<u32>(*found.number)))
      collector_.found().names.push_back(*found.function);
  }

  const dwarf::Unit& unit_;
  Collector& collector_;
  CorrelationWarnings& warnings_;
  std::optional<u32> function_;  // the depth of the innermost one
  bool function_has_address_ = false;
  std::optional<Counters> counters_;
};

}  // namespace

Result<Correlation> correlate_by_debug_info(const object::File& program,
                                            CorrelationWarnings& warnings) {
  auto collector = TRY(Collector::of(program));
  auto sections = TRY(dwarf::Sections::of_program(program));
  u64 broken = 0;
  auto units = dwarf::read_units(sections, broken);
  dwarf::AbbrevTables abbrevs;
  dwarf::assign_abbrevs(units, abbrevs);
  for (auto& unit : units) {
    dwarf::read_unit_entry(unit);
    if (unit.usable && !unit.is_type()) UnitReader(unit, collector, warnings).read();
  }
  return std::move(collector).finish();
}

}  // namespace pgokit::instr_profile
