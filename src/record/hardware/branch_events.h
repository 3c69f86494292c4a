#pragma once

// What the processor and the kernel offer for branch stacks, from the best to the worst.
//
//   for (const auto& rung : hardware_ladder()) {
//     auto attempt = try_rung(rung);
//     if (attempt.ok()) ... else attempt.why
//   }
//   if (auto choice = choose_rung(hardware_ladder()); choice.rung) ... else choice.why
//
// A taken-branch event comes first: cycles over-represent what is slow, so block counts of
// neighbours disagree more. All are for user code only, which is what an unprivileged user may
// have. Events: Intel SDM volume 3 (BR_INST_RETIRED.NEAR_TAKEN), AMD PPR (retired taken branches,
// branch sampling), arm_pmuv3 (BRBE).

#include <linux/perf_event.h>

#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "record/hardware/event_source.h"

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

// Opens the event for this process, or for what is given, and closes it again.
Attempt try_rung(const Rung& rung, const EventTarget& target = {},
                 EventSource& events = kernel_events());
perf_event_attr attr_of(const Rung& rung, u64 frequency);

struct Choice {
  std::optional<Rung> rung;  // the first that can be opened
  std::string why;           // none can: each of them, and why
};
Choice choose_rung(const std::vector<Rung>& ladder, const EventTarget& target = {},
                   EventSource& events = kernel_events());

// /proc/sys/kernel/perf_event_paranoid, 4 where it cannot be read.
int perf_event_paranoid();

// Why perf_event_open() has refused it, and what to do.
std::string explain(int error, const Rung& rung, const EventTarget& target,
                    int paranoid = perf_event_paranoid());

}  // namespace pgokit::record
