#pragma once

// System calls made by a stopped thread on behalf of the recorder.

#include <array>
#include <vector>

#include "base/result.h"
#include "record/ptrace.h"

namespace pgokit::record {

struct RemoteCall {
  long number;
  std::array<u64, 6> arguments = {};
};

// `tid` is stopped and not inside a system call; `instruction` is the address of a `syscall`
// instruction in its memory. Its registers are afterwards what they were. Signals that arrive
// meanwhile are not delivered but put into `held`. Fails with the call's error, or when the thread
// dies on the way.
Result<u64> inject(pid_t tid, u64 instruction, const RemoteCall& call,
                   std::vector<siginfo_t>& held);

}  // namespace pgokit::record
