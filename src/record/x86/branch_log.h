#pragma once

// The branches that copies for contexts have logged (translate.h, CopyFor::contexts).
//
//   BranchLog log(bytes);                    // of the log: from `left` + 4 on, to its end
//   for (LoggedBranch branch; log.next(branch);) use(branch.edge, branch.stack, branch.target);
//
// An entry is read from its end downwards: a u32 of the edge's number and flags; for calls and
// indirect branches the stack pointer behind the branch, a u64; for indirect ones their target, a
// u64. The bytes are the program's to change: numbers may be any.

#include <cstring>

#include "base/types.h"
#include "record/x86/scratch.h"

namespace pgokit::record {

struct LoggedBranch {
  u32 edge = 0;  // number, without the flags
  bool call = false, indirect = false;
  u64 stack = 0, target = 0;

  bool moves_stack() const { return call || indirect; }
};

class BranchLog {
 public:
  static constexpr u32 call = 1U << 30;  // beside scratch::indirect
  static constexpr u32 direct_size = 4, call_size = 12, indirect_size = 20;

  explicit BranchLog(Bytes bytes) : begin_(bytes.data()), at_(bytes.data() + bytes.size()) {}

  bool next(LoggedBranch& branch) {
    u32 word = 0;
    if (!take(word)) [[unlikely]]
      return false;
    branch.indirect = word & scratch::indirect;
    branch.call = word & call;
    branch.edge = word & ~(scratch::indirect | call);
    if (!branch.moves_stack()) return true;
    return take(branch.stack) && (!branch.indirect || take(branch.target));
  }

 private:
  template <class T>
  bool take(T& value) {
    if (static_cast<size_t>(at_ - begin_) < sizeof value) [[unlikely]]
      return false;
    at_ -= sizeof value;
    std::memcpy(&value, at_, sizeof value);
    return true;
  }

  const u8* begin_;
  const u8* at_;
};

}  // namespace pgokit::record
