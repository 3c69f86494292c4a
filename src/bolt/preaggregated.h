#pragma once

// Pre-aggregated traces, the text that perf2bolt -pa reads: one trace per line, with addresses of
// the program, hexadecimal, and counts.
//
//   T 4010f3 401140 40116a 17     branch, where it went, to where that ran on, count
//   R 40116b 4010f8 401101 17     the same; the branch is a return (0: outside of the program)
//   B 4010f3 401140 17 2          branch, where it went, count, mispredictions
//   F 401140 40116a 17            range, count; f: came from outside; r: reached by a return
//   E cycles:u                    an event
//   S 4010f3 9                    a sample without branches
//
// An address may have a build id before it (`7f3a:1140`): it is in that file then.
//
//   write_preaggregated(traces, "", take);                     // or with the program's build id
//   auto read = TRY(read_preaggregated(text, build_id));

#include <string>
#include <string_view>
#include <vector>

#include "bolt/profile.h"
#include "bolt/traces.h"
#include "report/text_buffer.h"

namespace pgokit::bolt {

// `build_id`: hexadecimal, stands before each address of the program; empty: none does.
void write_preaggregated(const Traces& traces, std::string_view build_id,
                         const report::TakeText& take);
void write_preaggregated(const std::vector<AddressCount>& counts,
                         const std::vector<std::string>& events, std::string_view build_id,
                         const report::TakeText& take);

struct Preaggregated {
  Traces traces;
  std::vector<AddressCount> addresses;
  std::vector<std::string> events;  // sorted, each once
  u64 lines = 0;
};
// `build_id`: of the program, hexadecimal. Addresses in other files are outside of it.
Result<Preaggregated> read_preaggregated(std::string_view text, std::string_view build_id);

}  // namespace pgokit::bolt
