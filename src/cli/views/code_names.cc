#include "cli/views/code_names.h"

#include <algorithm>
#include <iterator>

#include "base/printable.h"

namespace pgokit::cli {
namespace {

void append_offset(std::string& text, i64 offset) {
  if (offset == 0) return;
  u64 size = offset < 0 ? u64{0} - static_cast<u64>(offset) : static_cast<u64>(offset);
  fmt::format_to(std::back_inserter(text), "{}{:#x}", offset < 0 ? '-' : '+', size);
}

}  // namespace

CodeNames::CodeNames(const program::ProbeFile& file, const object::Layout& layout,
                     std::span<const program::CodeRegion> regions)
    : file_(file), layout_(layout) {
  if (layout.is_relocatable()) {
    const object::File& code = *file.code_file();
    object::Relocations relocations(code);
    by_section_.resize(code.sections().size());
    for (const auto& section : code.sections())
      if (section.is_code()) by_section_[section.index] = relocations.of(section);
  }
  for (const auto& region : regions)
    if (!region.symbol.empty())
      names_.push_back({region.address, region.address + region.code.size(), region.symbol});
  for (const auto& symbol : file.symbols()) {
    bool is_data = symbol.kind == object::SymbolKind::data && symbol.section != 0;
    if (is_data && !layout.is_relocatable())
      names_.push_back({symbol.address, symbol.address + symbol.size, symbol.name});
  }
  // Of several at one address the longest, which is the one that the code follows.
  std::ranges::stable_sort(names_, [](const Named& a, const Named& b) {
    return a.address != b.address ? a.address < b.address : a.end > b.end;
  });
  auto repeated = std::ranges::unique(names_, {}, &Named::address);
  names_.erase(repeated.begin(), repeated.end());
}

bool CodeNames::append_name(u64 address, std::string& text) const {
  auto next = std::ranges::upper_bound(names_, address, {}, &Named::address);
  if (next == names_.begin()) return false;
  const Named& named = *--next;
  if (address != named.address && address >= named.end) return false;
  text.append(" <").append(printable_line(named.name));
  append_offset(text, static_cast<i64>(address - named.address));
  text += '>';
  return true;
}

std::string_view CodeNames::name_of(const object::Relocation& relocation) const {
  const auto& symbols = file_.symbols();
  if (relocation.symbol >= symbols.size()) return {};
  const auto& symbol = symbols[relocation.symbol];
  if (!symbol.name.empty()) return symbol.name;
  const auto& sections = file_.code_file()->sections();
  return symbol.section < sections.size() ? sections[symbol.section].name : std::string_view{};
}

bool CodeNames::append_relocations(const program::CodeRegion& region, u64 address, size_t length,
                                   std::string& text) const {
  if (by_section_.empty()) return false;
  const auto& all = by_section_[region.section->index];
  u64 from = address - layout_.address_of(*region.section), to = from + length;
  auto one = std::ranges::lower_bound(all, from, {}, &object::Relocation::offset);
  bool any = false;
  for (; one != all.end() && one->offset < to; ++one) {
    std::string_view name = name_of(*one);
    if (name.empty()) continue;
    u64 addend = static_cast<u64>(one->addend);
    // Relative ones count from their own place, instructions from their end.
    if (one->value == object::Relocation::Value::relative) addend += to - one->offset;
    text.append(any ? ", <" : " <").append(printable_line(name));
    append_offset(text, static_cast<i64>(addend));
    text += '>';
    any = true;
  }
  return any;
}

}  // namespace pgokit::cli
