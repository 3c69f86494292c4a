// Records once more what a recording has: its records come out of rings, in portions, as the kernel
// would have handed them over.
//
//   replay_recording RECORDING OUTPUT SEED

#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>

#include "base/file.h"
#include "record/hardware/hardware_recorder.h"
#include "test/support/replayed_recording.h"

namespace pgokit::record {
namespace {

Result<RecordSummary> replay(const std::string& path, const std::string& output, u32 seed) {
  auto file = TRY(MappedFile::open(path));
  auto recording = TRY(perf::Recording::open(file.bytes()));
  test::ReplayedEvents events({.processors = 3, .seed = seed});
  events.records = test::raw_records(recording);
  events.when_all_are_out = [&] { kill(events.opened[0].target.pid, SIGTERM); };
  Rung rung{.name = "replayed:u", .what = "", .type = PERF_TYPE_HARDWARE};
  return record_in_hardware(rung, {.output = output, .command = {"sleep", "600"}}, events);
}

}  // namespace
}  // namespace pgokit::record

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  auto seed = static_cast<pgokit::u32>(std::atoi(argv[3]));
  auto summary = pgokit::record::replay(argv[1], argv[2], seed);
  if (!summary) {
    fmt::print(stderr, "{}\n", summary.error().message);
    return 1;
  }
  fmt::print("{} samples, {} lost\n", summary->counts.samples, summary->counts.lost);
  return 0;
}
