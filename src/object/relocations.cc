#include "object/relocations.h"

#include <algorithm>
#include <tuple>

namespace pgokit::object {
namespace {

// Not is_code(): in a separate debug file the code sections are empty.
bool has_code_addresses(const Section& section) { return section.executable && section.size > 0; }

}  // namespace

Layout::Layout(const File& file) : file_(&file), starts_(file.sections().size()) {
  u64 end = 0;
  for (const auto& section : file.sections()) {
    if (!is_relocatable()) {
      starts_[section.index] = section.address;
    } else if (section.is_code()) {
      starts_[section.index] = end;
      // 16 is the alignment of functions.
      end += (section.contents.size() + 15) & ~u64{15};
    }
    if (is_relocatable() ? section.is_code() : has_code_addresses(section))
      code_.push_back(section.index);
  }
  std::ranges::stable_sort(code_, {}, [&](u32 index) { return starts_[index]; });
}

u64 Layout::address_of(const Symbol& symbol) const {
  bool in_section = is_relocatable() && symbol.section < starts_.size();
  return in_section ? starts_[symbol.section] + symbol.address : symbol.address;
}

std::optional<Layout::Place> Layout::place_of(u64 address) const {
  auto next = std::ranges::upper_bound(code_, address, {}, [&](u32 i) { return starts_[i]; });
  if (next == code_.begin()) return std::nullopt;
  const auto& section = file_->sections()[*--next];
  u64 offset = address - starts_[section.index];
  // One behind the last byte belongs to it: probes may stand there.
  if (offset > section.size) return std::nullopt;
  return Place{&section, offset};
}

std::vector<Relocation> Relocations::of(const Section& section) const {
  auto found = file_->reader().relocations(section);
  std::ranges::sort(found, {}, [](const Relocation& one) {
    return std::tuple(one.offset, one.type, one.symbol);
  });
  return found;
}

Result<std::vector<u8>> Relocations::apply(const Section& section, const Layout& layout,
                                           const std::vector<Symbol>& symbols) const {
  Bytes contents = TRY(file_->contents(section));
  std::vector<u8> bytes(contents.begin(), contents.end());
  for (const auto& one : of(section)) {
    if (one.size == 0)
      return fail("{}: the relocation at offset {:#x} is of type {}, which is not known",
                  section.name, one.offset, one.type);
    if (bytes.size() < one.size || one.offset > bytes.size() - one.size)
      return fail("{}: a relocation at offset {:#x} is past its end", section.name, one.offset);
    u64 value = one.symbol < symbols.size() ? layout.address_of(symbols[one.symbol]) : 0;
    value += static_cast<u64>(one.addend);
    for (size_t i = 0; i < one.size; ++i) bytes[one.offset + i] = static_cast<u8>(value >> 8 * i);
  }
  return bytes;
}

}  // namespace pgokit::object
