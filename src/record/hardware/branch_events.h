#pragma once

// What the processor and the kernel offer for branch stacks, from the best to the worst.
//
//   for (const auto& rung : hardware_ladder()) {
//     auto attempt = try_rung(rung);
//     if (attempt.ok()) ... else attempt.why
//   }
//
// A taken-branch event comes first: cycles over-represent what is slow, so block counts of
// neighbours disagree more. All are for user code only, which is what an unprivileged user may
// have. Events: Intel SDM volume 3 (BR_INST_RETIRED.NEAR_TAKEN), AMD PPR (retired taken branches,
// branch sampling), arm_pmuv3 (BRBE).

#include <linux/perf_event.h>

#include <string>
#include <vector>

#include "base/types.h"

namespace pgokit::record {

struct Rung {
  std::string name;  // as perf would call the event
  std::string what;  // for people
  u32 type = 0;
  u64 config = 0;
  bool branch_stack = true;
  u64 period = 0;  // 0: by frequency
};

std::vector<Rung> hardware_ladder();
// Events without branch stacks: addresses and call chains only.
std::vector<Rung> plain_events();

struct Attempt {
  int error = 0;    // errno of perf_event_open()
  std::string why;  // a sentence
  bool ok() const { return error == 0; }
};

// Opens the event for this process and closes it again.
Attempt try_rung(const Rung& rung);
perf_event_attr attr_of(const Rung& rung, u64 frequency);

// /proc/sys/kernel/perf_event_paranoid, 4 where it cannot be read.
int perf_event_paranoid();

}  // namespace pgokit::record
