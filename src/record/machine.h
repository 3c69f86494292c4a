#pragma once

// What this machine lets a recorder do: for `pgokit doctor`.
//
//   auto machine = inspect_machine();
//   for (const auto& rung : machine.rungs) rung.attempt.ok() ...
//
// Everything is tried, not guessed.

#include <string>
#include <vector>

#include "record/hardware/branch_events.h"

namespace pgokit::record {

struct TriedRung {
  Rung rung;
  Attempt attempt;
};

struct Machine {
  std::string kernel, processor;
  bool virtual_machine = false;
  int perf_event_paranoid = 0;
  int ptrace_scope = 0;  // of the Yama security module; 0 where it is not there
  std::vector<TriedRung> rungs;
  Attempt timer;           // a clock event for exact ticks
  Attempt tracing;         // ptrace() of a child
  bool is_x86_64 = false;  // where software branch stacks exist

  bool hardware() const;
  bool software() const { return is_x86_64 && tracing.ok(); }
};

Machine inspect_machine();

}  // namespace pgokit::record
