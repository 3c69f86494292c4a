#include "program/code_modes.h"

#include <optional>

namespace pgokit::program {
namespace {

using isa::Mode;

// The mode that a symbol begins, and whether it is there for nothing else.
struct Marked {
  Mode mode = Mode::usual;
  bool by_name = false;
};

std::optional<Marked> marked_by(const object::Symbol& symbol) {
  using object::SymbolKind;
  if (symbol.section == 0 || symbol.section == object::reserved_section) return std::nullopt;
  if (is_mapping_symbol(symbol.name)) {
    switch (symbol.name[1]) {
      case 'a':
        return Marked{Mode::usual, true};
      case 't':
        return Marked{Mode::thumb, true};
      case 'd':
        return Marked{Mode::data, true};
      default:
        return std::nullopt;
    }
  }
  if (symbol.kind != SymbolKind::function && symbol.kind != SymbolKind::indirect_function)
    return std::nullopt;
  return Marked{symbol.is_thumb ? Mode::thumb : Mode::usual, false};
}

}  // namespace

bool is_mapping_symbol(std::string_view name) {
  return name.size() >= 2 && name[0] == '$' && (name.size() == 2 || name[2] == '.');
}

CodeModes::CodeModes(const object::File& file, const object::Layout& layout,
                     const std::vector<object::Symbol>& symbols) {
  if (file.machine() != EM_ARM) return;
  // What counts most at an address comes last: sections, functions, marks.
  for (const auto& section : file.sections())
    if (section.is_code()) changes_.push_back({layout.address_of(section), Mode::usual});
  for (bool by_name : {false, true})
    for (const auto& symbol : symbols) {
      auto marked = marked_by(symbol);
      if (!marked || marked->by_name != by_name) continue;
      u64 address = layout.address_of(symbol);
      if (layout.place_of(address)) changes_.push_back({address, marked->mode});
    }
  std::ranges::stable_sort(changes_, {}, &Change::address);
  size_t kept = 0;
  for (const auto& change : changes_) {
    if (kept && changes_[kept - 1].address == change.address) --kept;
    if (kept && changes_[kept - 1].mode == change.mode) continue;
    changes_[kept++] = change;
  }
  changes_.resize(kept);
}

CodeModes::CodeModes(const object::File& linked)
    : CodeModes(linked, object::Layout(linked),
                linked.machine() == EM_ARM ? linked.symbols() : std::vector<object::Symbol>()) {}

CodeModes::Piece CodeModes::search(u64 address) const {
  auto next = std::ranges::upper_bound(changes_, address, {}, &Change::address);
  Piece piece;
  if (next != changes_.end()) piece.end = next->address;
  if (next != changes_.begin()) piece.mode = std::prev(next)->mode;
  return piece;
}

}  // namespace pgokit::program
