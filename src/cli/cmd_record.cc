#include <unistd.h>

#include "base/progress.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "record/recorder.h"

namespace pgokit::cli {
namespace {

struct Settings {
  record::RecordSettings record;
  u64 pid = 0;
  bool no_callchain = false;
  bool quiet = false;
};

double share(u64 part, u64 whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string describe(const record::TraceCounts& counts) {
  return fmt::format("{} samples, {} branch entries, {:.1f} % with full stacks", counts.samples,
                     counts.branches, share(counts.full, counts.samples));
}

void print_summary(const Settings& settings, const record::RecordSummary& summary) {
  const auto& counts = summary.counts;
  fmt::print(stderr, "pgokit record: {}, {} threads of {} processes; {} stops, {:.1f} ms stopped\n",
             describe(counts), counts.threads, counts.processes, counts.stops,
             static_cast<double>(counts.stopped_ns) / 1e6);
  fmt::print(stderr, "pgokit record: wrote {} ({} KiB)\n", settings.record.output,
             summary.file_size / 1024);
}

int run(std::span<char* const> arguments) {
  Settings settings;
  auto& record = settings.record;
  OptionTable table{
      "pgokit record",
      "Run a command, or attach to a process, and record branch stacks and call chains.",
      {{"-o,--output", "FILE", "the recording", &record.output},
       {"-p,--pid", "PID", "attach to a running process", &settings.pid},
       {"--for", "SECONDS", "stop recording after that time", &record.seconds},
       {"-F,--frequency", "N", "samples per second of CPU time of a thread", &record.frequency},
       {"--no-callchain", "", "branch stacks only", &settings.no_callchain},
       {"--single-step", "", "", &record.single_step, false, true},
       {"-q,--quiet", "", "no progress and no summary", &settings.quiet}},
      "",
      &record.command};
  if (auto exit = parse_options(table, arguments)) return *exit;
  if (record.command.empty() == (settings.pid == 0))
    return report_failure("record", {"give a command to run, or a process with -p", 2});
  record.pid = static_cast<pid_t>(settings.pid);
  record.callchain = !settings.no_callchain;
  record.command_line = {"pgokit", "record"};
  record.command_line.insert(record.command_line.end(), record.command.begin(),
                             record.command.end());
  Progress progress("recording", 0);
  if (!settings.quiet)
    record.progress = [&](const record::TraceCounts& counts) { progress.show(describe(counts)); };
  auto summary = record::record_in_software(record);
  if (!summary) return report_failure("record", summary.error());
  if (!settings.quiet) print_summary(settings, *summary);
  return summary->exit_code;
}

}  // namespace

constexpr Command record_command{"record", "run a program and record its branches", run};

}  // namespace pgokit::cli
