#include "program/code_regions.h"

#include <algorithm>
#include <tuple>

#include "program/code_modes.h"

namespace pgokit::program {
namespace {

using Name = std::pair<u64, std::string_view>;

bool is_listed(const object::Section& section, RegionRules rules) {
  if (rules == RegionRules::as_peer && section.name == ".plt") return false;
  return section.executable && !section.contents.empty();
}

bool counts(const object::Symbol& symbol, RegionRules rules) {
  if (rules == RegionRules::as_peer) return true;
  return !symbol.name.empty() && symbol.kind != object::SymbolKind::file &&
         symbol.kind != object::SymbolKind::section &&
         symbol.kind != object::SymbolKind::thread_local_data && !is_mapping_symbol(symbol.name);
}

void add_section(const object::Section& section, u64 start, std::vector<Name>& names,
                 RegionRules rules, std::vector<CodeRegion>& regions) {
  u64 end = start + section.contents.size();
  std::ranges::sort(names);
  auto piece = [&](u64 from, u64 to) {
    from = std::clamp(from, start, end), to = std::clamp(to, from, end);
    return section.contents.subspan(from - start, to - from);
  };
  u64 first = names.empty() ? end : names.front().first;
  if (rules == RegionRules::all && first > start)
    regions.push_back({&section, {}, start, piece(start, first)});
  for (size_t i = 0; i < names.size(); ++i) {
    u64 next = i + 1 < names.size() ? names[i + 1].first : end;
    regions.push_back({&section, names[i].second, names[i].first, piece(names[i].first, next)});
  }
}

// The code section of a symbol, and its address.
struct Located {
  u32 section = 0;
  u64 address = 0;
};

Located locate(const RegionSource& source, const object::Symbol& symbol) {
  u64 address = source.layout.address_of(symbol);
  if (source.own_symbols) return {symbol.section, address};
  if (symbol.section == 0 || symbol.section == object::reserved_section) return {};
  auto place = source.layout.place_of(address);  // the two files may number sections differently
  return place ? Located{place->section->index, address} : Located{};
}

}  // namespace

std::vector<CodeRegion> code_regions(const RegionSource& source, RegionRules rules) {
  const auto& sections = source.code.sections();
  std::vector<std::vector<Name>> names(sections.size());
  for (const auto& symbol : source.symbols) {
    if (!counts(symbol, rules)) continue;
    Located at = locate(source, symbol);
    if (at.section >= sections.size() || !is_listed(sections[at.section], rules)) continue;
    u64 start = source.layout.address_of(sections[at.section]);
    if (at.address - start < sections[at.section].contents.size())
      names[at.section].push_back({at.address, symbol.kind == object::SymbolKind::section
                                                   ? sections[at.section].name
                                                   : symbol.name});
  }
  std::vector<CodeRegion> regions;
  for (const auto& section : sections)
    if (is_listed(section, rules))
      add_section(section, source.layout.address_of(section), names[section.index], rules, regions);
  return regions;
}

}  // namespace pgokit::program
