#include "cli/llvm/perf2bolt_options.h"

#include "pipeline/input_checks.h"

namespace pgokit::cli {

OptionTable perf2bolt_options(Perf2BoltSettings& s) {
  return {
      "pgokit perf2bolt",
      "Make a profile for BOLT of a recording, with the options of perf2bolt 22.",
      {{"PROGRAM", "", "the program that was recorded, or several; each gets its file",
        &s.programs},
       {"--perfdata,-p", "FILE", "the recording (read without perf)", &s.recording},
       {"-o", "FILE",
        "the profile; - is standard output. Of several programs: FOLDER/, or a name in which %n "
        "is the program's",
        &s.output},
       {"--basic-events,--ba,--nl", "", "samples without branch stacks", &s.basic},
       {"--pa", "", "FILE is pre-aggregated text", &s.preaggregated},
       {"--pid", "PID", "samples of this process only", &s.pid},
       {"--ignore-build-id", "", "take a recording of another build", &s.ignore_build_id},
       {"--ignore-interrupt-lbr", "BOOL", "leave out branches into and out of the kernel (1)",
        &s.kernel_entries_left_out},
       {"--parse-mem-profile", "BOOL", "sampled loads, where the recording has them (1)",
        &s.with_loads},
       {"--profile-format", "FORMAT", "fdata or yaml, which llvm-bolt computes the hashes of",
        &s.profile_format},
       {"-w", "FILE", "a YAML profile too", &s.yaml},
       {"--llvm-bolt", "COMMAND", "that makes YAML (the newest in PATH; not an option there)",
        &s.llvm_bolt},
       {"--threads", "N", "how many threads (all cores)", &s.threads},
       {"--filter-mem-profile", "BOOL", "", &s.known_data_only, false, true},
       {"--itrace", "TEXT", "", &s.itrace, false, true},
       {"--heatmap", "FILE", "", &s.heatmap, false, true},
       {"--max-samples", "N", "", &s.max_samples, false, true},
       {"--spe", "", "", &s.spe, false, true},
       {"--impute-trace-fall-through", "", "", &s.impute, false, true},
       {"--show-density", "", "", &s.density, false, true},
       {"--aggregate-only,--time-aggr,--bolt-info", "", "", &s.ignored, false, true}},
      "\nOne dash is as good as two. Of an option that is given twice the last one counts.\n"};
}

Status check_options(Perf2BoltSettings& s) {
  if (s.programs.empty())
    return fail("give the program: pgokit perf2bolt -p RECORDING -o FILE PROGRAM");
  if (s.recording.empty()) return fail("-p names the recording: it is missing");
  if (s.output.empty()) return fail("-o names the profile: it is missing");
  if (s.profile_format != "fdata" && s.profile_format != "yaml")
    return fail("--profile-format {}: there are fdata and yaml", s.profile_format);
  if (!s.yaml.empty() && s.profile_format == "yaml")
    return fail("-w and --profile-format yaml both ask for YAML: leave -w out");
  if (!s.yaml.empty() && s.programs.size() > 1)
    return fail("-w names one file: of several programs --profile-format yaml makes one each");
  if (!s.yaml.empty()) TRY(pipeline::check_outputs(std::vector{s.output, s.yaml}));
  if (!s.itrace.empty())
    return fail(
        "--itrace: make branch stacks of the trace first (perf inject --itrace=i100usl -i {} -o "
        "FILE), and give these",
        s.recording);
  if (s.spe) return fail("--spe: pairs of addresses are no branch stacks; leave --spe out");
  if (!s.heatmap.empty()) return fail("--heatmap: pgokit report shows hot pages of the program");
  if (!s.max_samples.empty()) return fail("--max-samples: all samples are read");
  if (s.impute)
    return fail("--impute-trace-fall-through: ranges are not guessed; only those seen are written");
  if (!s.known_data_only)
    return fail(
        "--filter-mem-profile=0: loads from heaps and stacks are left out, as BOLT has no use for "
        "them");
  if (s.density) return fail("--show-density: pgokit generate shows the density of a recording");
  TRY(pipeline::check_threads(s.threads));
  for (const auto& program : s.programs)
    for (const auto& output : {s.output, s.yaml})
      TRY(pipeline::check_files({s.recording}, program, output));
  return {};
}

}  // namespace pgokit::cli
