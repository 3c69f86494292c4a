#include "bolt/functions.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <numeric>

#include "dwarf/cfi.h"
#include "program/stubs.h"

namespace pgokit::bolt {

using object::SymbolKind;

namespace {

bool is_function(const object::Symbol& symbol) {
  return symbol.kind == SymbolKind::function || symbol.kind == SymbolKind::indirect_function;
}

// AArch64: where code and data in code begin.
bool is_marker(const object::Symbol& symbol) {
  auto name = symbol.name.substr(0, 2);
  return symbol.is_local && (name == "$x" || name == "$d") &&
         (symbol.name.size() == 2 || symbol.name[2] == '.');
}

// Functions come first among symbols of one address, sections last.
int rank(const object::Symbol& symbol) {
  if (is_function(symbol)) return 0;
  return symbol.kind == SymbolKind::section ? 2 : 1;
}

// "work" of "work.cold", "work.cold.1", "work.warm"; empty: not a part of another function.
std::string_view parent_name(std::string_view name) {
  size_t end = name.size();
  size_t dot = name.rfind('.');
  bool numbered = dot != name.npos && dot + 1 < name.size() &&
                  name.find_first_not_of("0123456789", dot + 1) == name.npos;
  if (numbered) end = dot;
  for (std::string_view suffix : {".cold", ".warm"})
    if (name.substr(0, end).ends_with(suffix)) return name.substr(0, end - suffix.size());
  return {};
}

}  // namespace

// Goes through the symbols in the order of addresses.
class FunctionFinder {
 public:
  explicit FunctionFinder(const object::File& file) : file_(file), symbols_(file.symbols()) {}

  Functions find() {
    auto frames = dwarf::frame_ranges(file_);
    made_.has_relocations_ = bolt::has_relocations(file_);
    sort_symbols();
    for (u32 index : order_) look_at(index, frames);
    add_stubs();
    add_frames(frames);
    std::ranges::sort(made_.functions_, {}, &Function::address);
    measure();
    join_parts();
    std::ranges::sort(made_.entries_);
    std::ranges::stable_sort(made_.data_, {}, &Functions::Data::address);
    return std::move(made_);
  }

 private:
  const object::Section* section_of(const object::Symbol& symbol) const {
    return symbol.section < file_.sections().size() ? &file_.sections()[symbol.section] : nullptr;
  }

  void sort_symbols() {
    std::string_view of_file;
    file_names_.resize(symbols_.size());
    for (u32 i = 0; i < symbols_.size(); ++i) {
      const auto& symbol = symbols_[i];
      if (symbol.kind == SymbolKind::file) {
        if (symbol.name != "ld-temp.o") of_file = symbol.name;
        continue;
      }
      file_names_[i] = symbol.is_local ? of_file : std::string_view();
      if (symbol.section == 0 || is_marker(symbol)) continue;
      const auto* section = section_of(symbol);
      u64 end = symbol.address + symbol.size;
      bool inside = section && section->loaded && symbol.address >= section->address &&
                    end <= section->address + section->size && end >= symbol.address;
      if (symbol.section == object::reserved_section || inside) order_.push_back(i);
    }
    std::ranges::stable_sort(order_, [&](u32 a, u32 b) {
      const auto &left = symbols_[a], &right = symbols_[b];
      return left.address != right.address ? left.address < right.address
                                           : rank(left) < rank(right);
    });
  }

  // Symbols that may stand inside of a function without ending it.
  bool is_within(const object::Symbol& symbol, const Function& function) const {
    const auto& home = file_.sections()[homes_.at(function.address)];
    if (symbol.address - home.address >= home.size) return false;
    if (symbol.size == 0 && function.holds(symbol.address)) return true;
    return symbol.kind == SymbolKind::none && symbol.is_local;
  }

  u32 number_of(const object::Symbol& symbol, std::string_view& name) {
    if (symbol.kind == SymbolKind::section && name.empty() && section_of(symbol))
      name = section_of(symbol)->name;
    if (name.empty()) {
      name = made_.own_names_.emplace_back(fmt::format("ANONYMOUS.{}", anonymous_++));
      return 0;
    }
    if (name.starts_with(".L")) name = made_.own_names_.emplace_back("PG" + std::string(name));
    return symbol.is_local ? ++numbers_[name] : 0;
  }

  void look_at(u32 index, std::span<const dwarf::FrameRange> frames) {
    const auto& symbol = symbols_[index];
    if (symbol.address == 0 || symbol.name == "__hot_start" || symbol.name == "__hot_end") return;
    seen_.push_back(index);
    const auto* section = section_of(symbol);
    bool of_stubs = symbol.kind == SymbolKind::section && section &&
                    (section->name == ".plt" || section->name == ".plt.got" ||
                     section->name == ".plt.sec" || section->name == ".iplt");
    if (of_stubs) return;
    auto name = symbol.name;
    u32 number = number_of(symbol, name);
    if (!section || symbol.address == section->address + section->size) return;
    if (!section->executable) {
      made_.data_.push_back(
          {symbol.address, symbol.address + symbol.size, name, number, section->index});
      return;
    }
    if (!made_.functions_.empty() && belongs_to_last(symbol)) return;
    add(index, name, number, frames);
  }

  // Whether it is an entry or a label of the function before it.
  bool belongs_to_last(const object::Symbol& symbol) {
    auto& last = made_.functions_.back();
    bool inside = last.holds(symbol.address);
    if (!is_function(symbol) && (inside || (last.size == 0 && is_within(symbol, last))))
      return true;
    if (!inside || last.address == symbol.address) return false;
    if (!is_within(symbol, last))
      add_entry(symbol.address - last.address);
    else
      return true;
    seen_.pop_back();
    return true;
  }

  void add_entry(u64 offset) {
    made_.entries_.push_back(
        {static_cast<u32>(made_.functions_.size() - 1), static_cast<u32>(offset)});
  }

  void add(u32 index, std::string_view name, u32 number,
           std::span<const dwarf::FrameRange> frames) {
    const auto& symbol = symbols_[index];
    u64 size = symbol.size;
    auto frame = std::ranges::lower_bound(frames, symbol.address, {}, &dwarf::FrameRange::begin);
    if (frame != frames.end() && frame->begin == symbol.address) size = std::max(size, frame->size);
    auto& functions = made_.functions_;
    if (!functions.empty() && functions.back().address == symbol.address) {
      functions.back().size = std::max(functions.back().size, size);
    } else {
      functions.push_back(
          {.address = symbol.address, .size = size, .name = name, .number = number});
      homes_[symbol.address] = symbol.section;
      files_[symbol.address] = file_names_[index];
    }
    if (!parent_name(symbol.name).empty()) functions.back().part = true;
  }

  void add_stubs() {
    // Functions that a resolver chooses have its name.
    auto by_address = made_.functions_;
    auto named = [&](const program::Stub& stub) -> std::string {
      if (!stub.name.empty()) return std::string(stub.name);
      if (!stub.resolver) return {};
      auto at = std::ranges::lower_bound(by_address, stub.resolver, {}, &Function::address);
      if (at == by_address.end() || at->address != stub.resolver) return {};
      return made_.name(*at);
    };
    for (const auto& stub : program::find_stubs(file_)) {
      auto at = std::ranges::lower_bound(by_address, stub.address, {}, &Function::address);
      if (at != by_address.end() && at->address == stub.address) continue;
      std::string name = named(stub);
      if (name.empty() && stub.resolver) continue;
      auto& text = made_.own_names_.emplace_back(
          name.empty() ? "__BOLT_PSEUDO_" + std::string(stub.section) : name + "@PLT");
      made_.functions_.push_back({.address = stub.address, .name = text, .stub = true});
      homes_[stub.address] = home_of(stub.address);
    }
    std::ranges::sort(made_.functions_, {}, &Function::address);
  }

  u32 home_of(u64 address) const {
    for (const auto& section : file_.sections())
      if (section.loaded && section.holds == object::Holds::bytes &&
          address - section.address < section.size)
        return section.index;
    return 0;
  }

  // Code that only the unwind table knows.
  void add_frames(std::span<const dwarf::FrameRange> frames) {
    auto known = [&, next = size_t{0}](u64 address) mutable {
      const auto& functions = made_.functions_;
      while (next < known_ && functions[next].address <= address) ++next;
      if (next == 0) return false;
      const auto& before = functions[next - 1];
      return before.address == address || before.holds(address);
    };
    known_ = made_.functions_.size();
    std::vector<Function> added;
    for (const auto& frame : frames) {
      u32 home = known(frame.begin) ? 0 : home_of(frame.begin);
      if (!home || !file_.sections()[home].executable) continue;
      if (!added.empty() && added.back().address == frame.begin) continue;
      auto& name = made_.own_names_.emplace_back(fmt::format("__BOLT_FDE_FUNCat{:x}", frame.begin));
      added.push_back({.address = frame.begin, .size = frame.size, .name = name});
      homes_[frame.begin] = home;
    }
    made_.functions_.insert(made_.functions_.end(), added.begin(), added.end());
  }

  void measure() {
    renumber_entries();
    size_t next_symbol = 0;
    auto& functions = made_.functions_;
    for (size_t i = 0; i < functions.size(); ++i) {
      auto& function = functions[i];
      const auto& home = file_.sections()[homes_.at(function.address)];
      u64 end = home.address + home.size;
      u64 next = i + 1 < functions.size() ? functions[i + 1].address : ~u64{0};
      while (next_symbol < seen_.size() && symbols_[seen_[next_symbol]].address <= function.address)
        ++next_symbol;
      for (size_t s = next_symbol; s < seen_.size(); ++s) {
        const auto& symbol = symbols_[seen_[s]];
        if (symbol.address >= next || !is_within(symbol, function)) {
          end = std::min(end, symbol.address);
          break;
        }
        made_.entries_.push_back(
            {static_cast<u32>(i), static_cast<u32>(symbol.address - function.address)});
      }
      end = std::min(end, next);
      function.room = std::max(end - function.address, function.size);
      if (end - function.address < function.size) function.no_graph = true;
      if (function.size == 0) function.size = function.room;
    }
  }

  // Entries were noted by the place of their function among those with symbols.
  void renumber_entries() {
    std::vector<u32> place;
    for (u32 i = 0; i < made_.functions_.size(); ++i)
      if (files_.contains(made_.functions_[i].address)) place.push_back(i);
    for (auto& entry : made_.entries_) entry.function = place[entry.function];
  }

  // Without relocations BOLT makes no blocks of functions in several parts.
  void join_parts() {
    auto& functions = made_.functions_;
    if (std::ranges::none_of(functions, &Function::part)) return;
    auto named = parents();
    u32 families = 0;
    for (auto& part : functions) {
      if (!part.part) continue;
      auto found = named.find(parent_name(part.name));
      if (found == named.end()) continue;
      auto& parent = functions[parent_of(part, found->second)];
      if (!parent.family) parent.family = ++families;
      part.family = parent.family;
      if (!made_.has_relocations_) parent.no_graph = part.no_graph = true;
    }
  }

  struct Parent {
    u32 function = 0, symbol = 0;
  };
  using Parents = tsl::robin_map<std::string_view, std::vector<Parent>>;

  // By all their names: a constructor has two, and its part has that of either.
  Parents parents() const {
    Parents named;
    for (u32 index : seen_) {
      const auto& symbol = symbols_[index];
      auto at = std::ranges::lower_bound(made_.functions_, symbol.address, {}, &Function::address);
      if (at != made_.functions_.end() && at->address == symbol.address && !at->part)
        named[symbol.name].push_back({static_cast<u32>(at - made_.functions_.begin()), index});
    }
    return named;
  }

  // Of several of that name the one of the same file.
  u32 parent_of(const Function& part, const std::vector<Parent>& named) const {
    for (const auto& [function, symbol] : named) {
      auto own = files_.find(part.address);
      if (part.number && symbols_[symbol].is_local && own != files_.end() &&
          own->second == file_names_[symbol])
        return function;
    }
    for (const auto& [function, symbol] : named)
      if (!symbols_[symbol].is_local) return function;
    return named.front().function;
  }

  const object::File& file_;
  std::vector<object::Symbol> symbols_;
  std::vector<std::string_view> file_names_;  // by symbol, of local ones
  std::vector<u32> order_, seen_;             // of symbols, by address
  tsl::robin_map<std::string_view, u32> numbers_;
  tsl::robin_map<u64, u32> homes_;  // section of each function
  tsl::robin_map<u64, std::string_view> files_;
  u32 anonymous_ = 0;
  size_t known_ = 0;
  Functions made_;
};

Functions Functions::of(const object::File& file) { return FunctionFinder(file).find(); }

bool has_relocations(const object::File& file) {
  const auto* text = file.section(".text");
  return text && file.reader().has_relocations(*text);
}

Status check_program(const object::File& file) {
  bool known = file.machine() == EM_X86_64 || file.machine() == EM_AARCH64;
  if (file.format() != object::Format::elf || file.address_size() != 8 || !known)
    return fail("BOLT takes ELF programs of x86-64 and AArch64, not {}",
                object::machine_name(file.machine()));
  if (!file.has_symtab())
    return fail("it is stripped, and BOLT needs .symtab: give the unstripped file of this build");
  for (const auto& section : file.sections())
    if (section.name == ".note.bolt_info" || section.name == ".bolt.org.text")
      return fail(
          "BOLT has rewritten it already: record the program that BOLT was given, or keep "
          "perf2bolt for it (with llvm-bolt --enable-bat)");
  return {};
}

u32 Functions::index_of(u64 address) const {
  auto next = std::ranges::upper_bound(functions_, address, {}, &Function::address);
  if (next == functions_.begin()) return none;
  --next;
  if (address - next->address >= next->room) return none;
  return static_cast<u32>(next - functions_.begin());
}

std::string Functions::name(const Function& function) const {
  return function.number ? fmt::format("{}/{}", function.name, function.number)
                         : std::string(function.name);
}

u64 Functions::object_end(u64 address) const {
  auto at = std::ranges::equal_range(data_, address, {}, &Data::address);
  u64 end = 0;
  for (const auto& one : at)
    if (one.end > address && (end == 0 || one.end < end)) end = one.end;
  return end;
}

}  // namespace pgokit::bolt
