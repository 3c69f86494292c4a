#include "record/software/call_chain.h"

#include <cstring>

namespace pgokit::record {
namespace {

constexpr size_t most_frames = 127;  // the kernel's own limit
constexpr size_t piece = 4096;
constexpr size_t most_rows = 65536;  // kept for each file

// ff /2 with any operand, counted from its end.
bool ends_with_indirect_call(Bytes before) {
  for (size_t length = 2; length <= 7; ++length) {
    Bytes tail = before.last(length);
    if (tail[0] != 0xff || (tail[1] & 0x38) != 0x10) continue;
    u8 mod = tail[1] >> 6, rm = tail[1] & 7;
    size_t sib = mod != 3 && rm == 4 ? 1 : 0;
    size_t displacement = mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0;
    if (sib && mod == 0 && (tail[2] & 7) == 5) displacement = 4;
    if (2 + sib + displacement == length) return true;
  }
  return false;
}

}  // namespace

bool is_return_address(AddressSpace& space, u64 address) {
  constexpr size_t longest_call = 7;
  if (address < longest_call) return false;
  Bytes code = space.code_at(address - longest_call);
  if (code.size() < longest_call) return false;
  Bytes before = code.first(longest_call);
  return before[2] == 0xe8 || ends_with_indirect_call(before);
}

bool ChainUnwinder::word(AddressSpace& space, u64 address, u64& value) {
  if (address < stack_at_ || address + 8 > stack_at_ + stack_.size()) {
    stack_.resize(piece);
    stack_.resize(space.memory().read_some(address, stack_.data(), piece));
    stack_at_ = address;
    if (stack_.size() < 8) return false;
  }
  std::memcpy(&value, stack_.data() + (address - stack_at_), 8);
  return true;
}

ChainUnwinder::Module& ChainUnwinder::module_of(AddressSpace& space, const Mapping& mapping) {
  // The vdso is the same in all processes.
  auto key = fmt::format("{}:{}", mapping.inode, mapping.path);
  auto [it, is_new] = modules_.try_emplace(key);
  if (!is_new) return *it.value();
  it.value() = std::make_unique<Module>();
  Module& module = *it.value();
  Bytes image;
  if (mapping.inode == 0) {
    module.copy.resize(mapping.size());
    module.copy.resize(space.memory().read_some(mapping.start, module.copy.data(), mapping.size()));
    image = module.copy;
  } else if (auto file = open_mapped(space.tid(), mapping)) {
    module.file = std::move(*file);
    image = module.file->bytes();
  }
  if (auto elf = object::File::parse(image)) {
    module.elf = std::move(*elf);
    module.table = dwarf::CfiTable::find(*module.elf);
  }
  return module;
}

const dwarf::CfiRow* ChainUnwinder::row_at(AddressSpace& space, u64 pc) {
  const auto* mapping = space.map().find(pc);
  if (!mapping || !mapping->is_fixed_code()) return nullptr;
  Module& module = module_of(space, *mapping);
  if (!module.table) return nullptr;
  u64 offset = pc - mapping->start + mapping->offset;
  for (const auto& segment : module.elf->segments()) {
    if (offset < segment.offset || offset - segment.offset >= segment.file_size) continue;
    u64 address = offset - segment.offset + segment.address;
    if (module.rows.size() >= most_rows) module.rows.clear();
    auto [it, is_new] = module.rows.try_emplace(address);
    if (is_new) it.value() = module.table->row_at(address);
    return it->second ? &*it->second : nullptr;
  }
  return nullptr;
}

bool ChainUnwinder::step_by_table(AddressSpace& space, const dwarf::CfiRow& row, Frame& frame) {
  u64 cfa = frame.value[row.cfa_register] + static_cast<u64>(row.cfa_offset);
  if (row.linkage_threshold && (frame.pc & 15) >= row.linkage_threshold) cfa += 8;
  if (row.signal_frame || !row.saved(dwarf::CfiRow::return_address)) return false;
  if (cfa <= frame.value[dwarf::CfiRow::rsp]) return false;
  auto value = frame.value;
  for (u8 number = 0; number < dwarf::CfiRow::registers; ++number)
    if (row.saved(number) &&
        !word(space, cfa + static_cast<u64>(i64(row.offset[number])), value[number]))
      return false;
  frame.value = value;
  frame.value[dwarf::CfiRow::rsp] = cfa;
  frame.pc = value[dwarf::CfiRow::return_address];
  return true;
}

bool ChainUnwinder::step_by_frame_pointer(AddressSpace& space, Frame& frame) {
  u64 base = frame.value[dwarf::CfiRow::rbp], next, return_address;
  if (base < frame.value[dwarf::CfiRow::rsp] || base % 8 != 0) return false;
  if (!word(space, base, next) || !word(space, base + 8, return_address)) return false;
  frame.value[dwarf::CfiRow::rbp] = next;
  frame.value[dwarf::CfiRow::rsp] = base + 16;
  frame.pc = return_address;
  return true;
}

bool ChainUnwinder::step(AddressSpace& space, Frame& frame, bool leaf) {
  const auto* row = row_at(space, frame.pc - (leaf ? 0 : 1));
  bool stepped = row ? step_by_table(space, *row, frame) : step_by_frame_pointer(space, frame);
  return stepped && is_return_address(space, frame.pc);
}

bool ChainUnwinder::chain(AddressSpace& space, const Registers& regs, std::vector<u64>& chain) {
  bool sure = frames(space, regs, most_frames, frames_);
  chain.clear();
  for (const auto& frame : frames_) chain.push_back(frame.pc);
  return sure;
}

bool ChainUnwinder::frames(AddressSpace& space, const Registers& regs, size_t most,
                           std::vector<ChainFrame>& frames) {
  frames.assign(1, {regs.rip, regs.rsp});
  stack_.clear();
  Frame frame{
      .pc = regs.rip,
      .value = {regs.rax, regs.rdx, regs.rcx, regs.rbx, regs.rsi, regs.rdi, regs.rbp, regs.rsp,
                regs.r8, regs.r9, regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15, 0}};
  while (frames.size() < most && step(space, frame, frames.size() == 1))
    frames.push_back({frame.pc, frame.value[dwarf::CfiRow::rsp]});
  return row_at(space, regs.rip) != nullptr;
}

}  // namespace pgokit::record
