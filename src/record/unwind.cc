#include "record/unwind.h"

#include <cstring>

namespace pgokit::record {
namespace {

constexpr size_t most_frames = 127;  // the kernel's own limit
constexpr size_t piece = 4096;

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

bool Unwinder::word(AddressSpace& space, u64 address, u64& value) {
  if (address < stack_at_ || address + 8 > stack_at_ + stack_.size()) {
    stack_.resize(piece);
    stack_.resize(space.memory().read_some(address, stack_.data(), piece));
    stack_at_ = address;
    if (stack_.size() < 8) return false;
  }
  std::memcpy(&value, stack_.data() + (address - stack_at_), 8);
  return true;
}

void Unwinder::chain(AddressSpace& space, const Registers& regs, std::vector<u64>& chain) {
  chain.assign(1, regs.rip);
  stack_.clear();
  u64 frame = regs.rbp, below = regs.rsp;
  while (chain.size() < most_frames) {
    u64 next, return_address;
    if (frame < below || frame % 8 != 0) return;
    if (!word(space, frame, next) || !word(space, frame + 8, return_address)) return;
    if (!is_return_address(space, return_address)) return;
    chain.push_back(return_address);
    below = frame + 16;
    frame = next;
  }
}

}  // namespace pgokit::record
