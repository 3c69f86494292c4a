#pragma once

// What this machine lets a recorder do: for `pgokit doctor`.
//
//   auto machine = inspect_machine();
//   for (const auto& rung : machine.rungs) rung.attempt.ok() ...
//
// Everything is tried, not guessed.

#include <string>
#include <string_view>
#include <vector>

#include "record/hardware/branch_events.h"
#include "record/system/privileges.h"

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
  Attempt timer;             // a clock event for exact ticks
  Attempt whole_processors;  // events of all processes: --all-cpus, and --cgroup by the processor
  Attempt tracing;           // ptrace() of a child
  Attempt attaching;         // of another process of the same user
  Attempt foreign;           // of those of other users
  Privileges privileges;
  std::string_view software_obstacle;

  bool hardware() const;
  bool software() const { return software_obstacle.empty() && tracing.ok(); }
};

Machine inspect_machine();

}  // namespace pgokit::record
