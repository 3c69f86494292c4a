#pragma once

// Which event of a recording is counted. A cycle and a page fault are no samples of the same thing,
// so counts of several events are not added up.
//
//   EventChoice events = TRY(choose_event(recording, EventUse::branches, options.event, threads));
//   if (events.takes(sample.event)) ...
//
// Events of one name are one event: those of the two kinds of cores of a hybrid processor
// (cpu_core/cycles/, cpu_atom/cycles/), of user space and the kernel (cycles:u, cycles:k).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/recording.h"

namespace pgokit::samples {

struct NamedSamples {
  std::string name;
  u64 samples = 0;
  bool operator==(const NamedSamples&) const = default;
};

struct EventChoice {
  std::vector<bool> taken;           // by number of the event; empty: all are
  std::string name = {};             // of the one taken; empty: there was nothing to choose
  std::vector<NamedSamples> others;  // those that are left out, most samples first

  bool takes(u32 event) const { return taken.empty() || taken[event]; }
  // What was chosen in another recording; `taken` is then nobody's.
  void add(EventChoice&& more);
};

// "cycles" of "cycles:u", "cpu_core/cycles/u" and "cpu_atom/cycles/P".
std::string_view plain_name(std::string_view name);

// What the samples are for: branch stacks tell most where each is taken at a branch, addresses
// where each stands for the same time.
enum class EventUse : u8 { branches, addresses };

// `wanted`: as recorded, or without processor and modifiers ("cycles"); empty: the best one; none:
// all. Samples are only counted where there is something to choose.
Result<EventChoice> choose_event(const perf::Recording& recording, EventUse use,
                                 const std::optional<std::string>& wanted, unsigned threads);

// The same of events that text names: `events` with their samples.
Result<EventChoice> choose_event(const std::vector<NamedSamples>& events, EventUse use,
                                 const std::optional<std::string>& wanted);

}  // namespace pgokit::samples
