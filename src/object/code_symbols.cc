#include "object/code_symbols.h"

#include <algorithm>
#include <tuple>

namespace pgokit::object {
namespace {

bool is_code(const Symbol& symbol, const File& file) {
  if (symbol.section == 0 || symbol.section >= file.sections().size() || symbol.name.empty())
    return false;
  bool named = symbol.kind == SymbolKind::function ||
               symbol.kind == SymbolKind::indirect_function || symbol.kind == SymbolKind::none;
  return named && file.sections()[symbol.section].executable;
}

auto rank(const Symbol& symbol) {
  size_t underscores = std::min(symbol.name.find_first_not_of('_'), symbol.name.size());
  return std::tuple(symbol.address, symbol.kind == SymbolKind::none, symbol.size == 0,
                    symbol.is_local, underscores, symbol.name);
}

}  // namespace

CodeSymbols::CodeSymbols(const File& file) : file_(&file), symbols_(file.symbols()) {
  std::erase_if(symbols_, [&](const auto& symbol) { return !is_code(symbol, file); });
  std::ranges::sort(symbols_, {}, rank);
  auto same = std::ranges::unique(symbols_, {}, &Symbol::address);
  symbols_.erase(same.begin(), same.end());
}

const Symbol* CodeSymbols::at(u64 address) const {
  auto next = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
  if (next == symbols_.begin()) return nullptr;
  const auto& symbol = next[-1];
  if (symbol.size != 0 && address - symbol.address >= symbol.size) return nullptr;
  const auto& section = file_->sections()[symbol.section];
  return address - section.address < section.size ? &symbol : nullptr;
}

const Symbol* CodeSymbols::starting_at(u64 address) const {
  auto found = std::ranges::lower_bound(symbols_, address, {}, &Symbol::address);
  return found != symbols_.end() && found->address == address ? &*found : nullptr;
}

std::string_view without_version(std::string_view name) {
  // A name may begin with it.
  return name.substr(0, name.find('@', 1));
}

}  // namespace pgokit::object
