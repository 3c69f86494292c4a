#pragma once

// Where start-up ends in a trace.
//
//   order::Cut cut{.microseconds = 250'000};
//   std::vector<u32> functions = cut.apply(touches, marks, true, model, facts);

#include <optional>
#include <span>
#include <string>

#include "order/model.h"

namespace pgokit::order {

// A first run, as an input tells it. Ascending by time.
struct Touch {
  u32 function = 0;
  u64 microseconds = 0;  // since the process started
};

// The program said that a phase is over (pgokit_mark) when so many functions had run.
struct Mark {
  u64 number = 0;
  u64 functions = 0;
};

struct CutFacts {
  u64 traces = 0, touches = 0;  // before
  u64 kept = 0;                 // touches
  u64 without_function = 0;     // traces that never ran the marker function: kept whole
  u64 without_mark = 0;         // ... never said the mark
  u64 without_time = 0;         // ... of which times are not known
};

// Several may be given: what comes first ends the start-up.
struct Cut {
  std::optional<u64> microseconds = {};  // first runs later than that
  std::optional<u64> mark = {};          // ... behind this mark
  std::string function = {};             // ... behind the first run of it

  // `has_times`: microseconds are known.
  std::vector<u32> apply(std::span<const Touch> touches, std::span<const Mark> marks,
                         bool has_times, const Model& model, CutFacts& facts) const;
};

}  // namespace pgokit::order
