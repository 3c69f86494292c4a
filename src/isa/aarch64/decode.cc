// AArch64 branches by mask tests: every instruction is a word, and the branches are a few patterns
// of the group "Branches, Exception Generating and System instructions" (Arm ARM C4.1). This is 14
// times as fast as a full decoder (1,043 against 73 MB/s), which would build operands unread.
//
// Every word counts as an instruction. llvm-profgen 22 instead rejects words of extensions that its
// default processor lacks (pointer authentication beyond the hint space, for one), and so takes a
// sample at `retaa` for one outside the program: decode_aarch64_base().

#include "base/cursor.h"
#include "isa/aarch64/base.h"
#include "isa/machines.h"

namespace pgokit::isa {
namespace {

struct Pattern {
  u32 mask, value;
  Flow flow;
};

constexpr Pattern patterns[] = {
    {0xfc000000, 0x14000000, Flow::jump},          // b
    {0xfc000000, 0x94000000, Flow::call},          // bl
    {0xff000000, 0x54000000, Flow::conditional},   // b.cond, bc.cond
    {0x7e000000, 0x34000000, Flow::conditional},   // cbz, cbnz
    {0x7e000000, 0x36000000, Flow::conditional},   // tbz, tbnz
    {0xfefff000, 0xd61f0000, Flow::indirect_jump}, /* br and its pac forms */
    {0xfefff000, 0xd63f0000, Flow::indirect_call}, /* blr and its pac forms */
    {0xfffff000, 0xd65f0000, Flow::ret},           // ret, retaa
    {0xfffff3ff, 0xd69f03e0, Flow::ret},           // eret, eretaa
    {0xffffffff, 0xd6bf03e0, Flow::ret},           // drps
    {0xff000000, 0xd4000000, Flow::other},         // svc, brk, hlt
    {0xffff0000, 0x00000000, Flow::other},         // udf
};

// Sign-extended `bits` bits of `word` from `at`, times four.
constexpr u64 displacement(u32 word, unsigned at, unsigned bits) {
  u64 value = word >> at & ((u32{1} << bits) - 1);
  u64 sign = u64{1} << (bits - 1);
  return ((value ^ sign) - sign) * 4;
}

u64 target_of(u32 word, u64 address) {
  if ((word & 0x7c000000) == 0x14000000) return address + displacement(word, 0, 26);
  if ((word & 0x7e000000) == 0x36000000) return address + displacement(word, 5, 14);
  return address + displacement(word, 5, 19);
}

}  // namespace

Instruction decode_aarch64(Bytes code, u64 address, LockPrefix) {
  if (code.size() < 4) return {.skip = static_cast<u8>(code.empty() ? 1 : code.size())};
  u32 word = Cursor(code).get<u32>();
  Instruction out{.length = 4};
  for (const Pattern& pattern : patterns) {
    if ((word & pattern.mask) != pattern.value) continue;
    out.flow = pattern.flow;
    out.has_target =
        out.flow == Flow::jump || out.flow == Flow::call || out.flow == Flow::conditional;
    if (out.has_target) out.target = target_of(word, address);
    break;
  }
  return out;
}

Instruction decode_aarch64_base(Bytes code, u64 address, LockPrefix lock) {
  if (code.size() >= 4 && !is_base_instruction(Cursor(code).get<u32>())) return {.skip = 4};
  return decode_aarch64(code, address, lock);
}

}  // namespace pgokit::isa
