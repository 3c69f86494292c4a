#include "object/relocations.h"

#include <algorithm>

#include "base/cursor.h"

namespace pgokit::object {
namespace {

bool is_code(const Section& section) {
  // Not is_code(): in a separate debug file the code sections are empty.
  return (section.flags & SHF_EXECINSTR) && section.size > 0;
}

bool is_absolute(u16 machine, u32 type) {
  return (machine == EM_X86_64 && type == R_X86_64_64) ||
         (machine == EM_AARCH64 && type == R_AARCH64_ABS64);
}

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
    if (is_relocatable() ? section.is_code() : is_code(section)) code_.push_back(section.index);
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

Relocations::Relocations(const File& file) : file_(&file), tables_(file.sections().size()) {
  for (const auto& section : file.sections())
    if (section.type == SHT_RELA && section.info < tables_.size())
      tables_[section.info].push_back(section.index);
}

std::vector<Relocation> Relocations::of(const Section& section) const {
  std::vector<Relocation> found;
  for (u32 table : tables_[section.index]) {
    Cursor in(file_->sections()[table].contents);
    while (in.left() >= sizeof(Elf64_Rela)) {
      auto one = in.get<Elf64_Rela>();
      found.push_back({one.r_offset, static_cast<u32>(ELF64_R_TYPE(one.r_info)),
                       static_cast<u32>(ELF64_R_SYM(one.r_info)), one.r_addend});
    }
  }
  std::ranges::stable_sort(found, {}, &Relocation::offset);
  return found;
}

Result<std::vector<u8>> Relocations::apply(const Section& section, const Layout& layout,
                                           const std::vector<Symbol>& symbols) const {
  Bytes contents = TRY(file_->contents(section));
  std::vector<u8> bytes(contents.begin(), contents.end());
  for (const auto& one : of(section)) {
    if (!is_absolute(file_->machine(), one.type))
      return fail("{}: the relocation at offset {:#x} is of type {}, which is not known",
                  section.name, one.offset, one.type);
    if (bytes.size() < 8 || one.offset > bytes.size() - 8)
      return fail("{}: a relocation at offset {:#x} is past its end", section.name, one.offset);
    u64 value = one.symbol < symbols.size() ? layout.address_of(symbols[one.symbol]) : 0;
    value += static_cast<u64>(one.addend);
    for (size_t i = 0; i < 8; ++i) bytes[one.offset + i] = static_cast<u8>(value >> 8 * i);
  }
  return bytes;
}

}  // namespace pgokit::object
