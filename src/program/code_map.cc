#include "program/code_map.h"

#include <algorithm>

namespace pgokit::program {
namespace {

u32 number(CodeIndex at) { return static_cast<u32>(at); }

}  // namespace

Result<CodeMap> CodeMap::build(const object::File& file, const CodeSymbols& symbols,
                               isa::Extensions extensions) {
  CodeMap code;
  code.decoder_ = std::make_unique<isa::Decoder>(TRY(isa::Decoder::for_machine(
      {file.machine(), file.address_size()}, isa::LockPrefix::alone, extensions)));
  code.modes_ = CodeModes(file);

  std::vector<const object::Section*> sections;
  for (const auto& section : file.sections())
    if (is_decoded(section) && !section.contents.empty()) sections.push_back(&section);
  std::ranges::stable_sort(sections, {}, [](const auto* section) { return section->address; });

  u64 total = 0;
  for (const auto* section : sections) {
    CodeSection added{
        section->address, section->contents.size(), static_cast<u32>(total), section->contents, {}};
    // Of sections that claim the same addresses (a damaged file) the first keeps them.
    if (!code.sections_.empty()) {
      const auto& last = code.sections_.back();
      if (added.address < last.address + last.size) continue;
    }
    if (added.address + added.size < added.address) continue;
    for (const auto& symbol : symbols.inside(added.address, added.address + added.size))
      added.regions.push_back(static_cast<u32>(symbol.address - added.address));
    total += added.size;
    code.sections_.push_back(std::move(added));
  }
  if (total >= number(no_code)) return fail("its code sections hold 4 GB or more");
  code.size_ = static_cast<u32>(total);
  for (const auto& section : code.sections_) {
    if (section.size <= code.main_size_) continue;
    code.main_address_ = section.address;
    code.main_size_ = section.size;
    code.main_first_ = section.first;
  }
  code.map_ = ZeroPages(total + 1);
  if (!code.map_) return fail("no memory for a map of its {} bytes of code", total);
  return code;
}

CodeIndex CodeMap::search(BinaryAddr address) const {
  auto section = std::ranges::upper_bound(sections_, address.value, {}, &CodeSection::address);
  if (section == sections_.begin()) return no_code;
  --section;
  u64 offset = address.value - section->address;
  return offset < section->size ? CodeIndex(section->first + static_cast<u32>(offset)) : no_code;
}

BinaryAddr CodeMap::search(CodeIndex index) const {
  const auto& section = section_of(number(index));
  return {section.address + (number(index) - section.first)};
}

const CodeMap::CodeSection& CodeMap::section_of(u32 index) const {
  return *--std::ranges::upper_bound(sections_, index, {}, &CodeSection::first);
}

CodeMap::Flow CodeMap::flow_of(isa::Flow flow) {
  switch (flow) {
    case isa::Flow::conditional:
      return conditional;
    case isa::Flow::jump:
      return jump;
    case isa::Flow::indirect_jump:
      return indirect_jump;
    case isa::Flow::call:
    case isa::Flow::indirect_call:
      return call;
    case isa::Flow::ret:
      return ret;
    default:
      return plain;
  }
}

void CodeMap::decode_region(u32 index) const {
  auto write = [&](u32 at, u8 value) {
    std::atomic_ref<u8>(map_[at]).store(value, std::memory_order_relaxed);
  };
  const auto& section = section_of(index);
  u32 offset = index - section.first;
  auto next = std::ranges::upper_bound(section.regions, offset);
  u32 end = next == section.regions.end() ? static_cast<u32>(section.size) : *next;
  bool in_front = next == section.regions.begin();
  u32 at = in_front ? 0 : *--next;
  std::scoped_lock lock((*decoding_)[(section.first + at) / 16 % decoding_->size()]);
  if (map_[section.first + at] != 0) return;  // another thread was faster
  u32 start = at;
  std::vector<u8> decoded(end - start, inside);
  while (!in_front && at < end) {
    u64 address = section.address + at;
    auto piece = modes_.at(address);
    auto instruction =
        decoder_->decode(piece.of(section.contents.subspan(at), address), address, piece.mode);
    if (instruction.length)
      decoded[at - start] = static_cast<u8>(instruction.length | flow_of(instruction.flow));
    at += static_cast<u32>(instruction.step());
  }
  for (u32 i = 0; i < decoded.size(); ++i) write(section.first + start + i, decoded[i]);
}

bool CodeMap::stops_flow(CodeIndex at) const {
  u8 kind = flow(at);
  return kind == call || kind == ret || kind == jump;
}

BinaryAddr CodeMap::direct_target(CodeIndex at) const {
  const auto& section = section_of(number(at));
  u32 offset = number(at) - section.first;
  u64 address = section.address + offset;
  auto one = decoder_->decode(section.contents.subspan(offset), address, modes_.at(address).mode);
  return {one.has_target ? one.target : 0};
}

BinaryAddr CodeMap::symbol_before(CodeIndex at) const {
  const auto& section = section_of(number(at));
  auto next = std::ranges::upper_bound(section.regions, number(at) - section.first);
  return {section.address + (next == section.regions.begin() ? 0 : *--next)};
}

CodeIndex CodeMap::at_or_after(CodeIndex at) const {
  for (u32 i = number(at); i < size_; ++i)
    if (is_instruction(CodeIndex(i))) return CodeIndex(i);
  return no_code;
}

CodeIndex CodeMap::before(CodeIndex at) const {
  for (u32 i = number(at); i-- > 0;)
    if (is_instruction(CodeIndex(i))) return CodeIndex(i);
  return no_code;
}

u64 CodeMap::instruction_bytes(BinaryAddr first, BinaryAddr last) const {
  u64 bytes = 0;
  for (const auto& section : sections_) {
    if (section.address > last.value || section.address + section.size <= first.value) continue;
    u64 from = std::max(first.value, section.address) - section.address;
    u64 to = std::min(last.value - section.address, section.size - 1);
    for (u64 i = from; i <= to; ++i)
      bytes += length(CodeIndex(section.first + static_cast<u32>(i)));
  }
  return bytes;
}

bool CodeMap::falls_through(CodeIndex first, CodeIndex last) const {
  if (last < first) return false;
  while (first != no_code && first < last) {
    if (stops_flow(first)) return false;
    first = at_or_after(CodeIndex(number(first) + length(first)));
  }
  return true;
}

}  // namespace pgokit::program
