#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "base/parse_number.h"
#include "base/progress.h"
#include "base/shell_word.h"
#include "cli/commands/commands.h"
#include "cli/options.h"
#include "cli/views/density.h"
#include "cli/views/next_steps.h"
#include "measure/run.h"
#include "pipeline/input_checks.h"
#include "record/hardware/hardware_recorder.h"
#include "record/recorder.h"
#include "record/system/control_group.h"
#include "record/system/proc_status.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"
#include "samples/event_choice.h"

namespace pgokit::cli {
namespace {

using report::counted;

struct Settings {
  record::RecordSettings record;
  std::string event;
  std::vector<std::string> pids;
  std::string cgroup;
  u64 depth = 32;
  double slowdown = 15;  // percent
  bool no_callchain = false, quiet = false;
  bool software = false, hardware = false;
  bool stats = false;
  std::vector<std::string> given;
};

std::string describe(const record::TraceCounts& counts, bool exact) {
  if (exact) return fmt::format("{} stops", report::grouped(counts.stops));
  auto samples = counted(counts.samples, "sample");
  if (counts.windows == 0) return samples;
  return fmt::format("{}, {}, {} with full stacks", samples,
                     counted(counts.branches, "branch entry", "branch entries"),
                     report::percent(counts.full, counts.samples));
}

// All with branch stacks, or those of a name.
std::vector<record::Rung> ladder_of(const std::string& event) {
  auto ladder = record::hardware_ladder();
  if (event.empty()) return ladder;
  for (const auto& rung : record::plain_events()) ladder.push_back(rung);
  std::erase_if(ladder, [&](const record::Rung& rung) {
    return event != rung.name && event != samples::plain_name(rung.name);
  });
  return ladder;
}

// Of the windows that were not possible: as of a program that a just-in-time compiler runs.
bool is_mostly_generated(const record::TraceCounts& counts) {
  return counts.generated * 2 > counts.without;
}

const char* why_not_followed(const record::TraceCounts& counts) {
  if (is_mostly_generated(counts)) return ": it is generated at run time, and cannot be profiled";
  if (counts.crowded * 2 > counts.without)
    return ": the stacks of all the threads leave no room for copies near it (smaller ones do: "
           "'ulimit -s 1024')";
  return "";
}

// So that what windows there are tell of the little else that ran, which nobody asks about.
bool is_nearly_all_generated(const record::TraceCounts& counts) {
  constexpr double nearly_all = 0.9;
  return static_cast<double>(counts.generated) >
         nearly_all * static_cast<double>(counts.without + counts.windows);
}

// What the samples are taken by.
struct Source {
  std::string name = "software branch stacks";
  bool branch_stacks = true;
};

Result<record::RecordSummary> record_somehow(const Settings& settings, Source& source) {
  if (!settings.software) {
    auto ladder = ladder_of(settings.event);
    if (ladder.empty())
      return usage_error("there is no event {} (see 'pgokit doctor')", settings.event);
    auto [rung, why] = record::choose_rung(ladder, settings.record);
    if (rung) {
      source = {rung->name, rung->branch_stack};
      if (std::ranges::count(settings.given, "--depth") > 0)
        return usage_error("--depth is for --software: stacks of {} have the processor's depth",
                           rung->name);
      for (std::string_view option : {"--slowdown", "--until-dense"})
        if (std::ranges::count(settings.given, option) > 0)
          return usage_error("{} is for --software: {} costs little (-F)", option, rung->name);
      if (!settings.record.only.empty())
        return usage_error(
            "--only is for --software: {} records all programs alike, and pgokit generate -b takes "
            "one of them",
            rung->name);
      return record::record_in_hardware(*rung, settings.record);
    }
    if (settings.record.all_cpus)
      return fail(
          "--all-cpus needs perf events: {}; in software --cgroup and -p with --tree record "
          "many processes",
          why);
    if (settings.hardware || !settings.event.empty())
      return fail("the processor's branch stacks cannot be used: {}{}", why,
                  settings.hardware ? "; without --hardware software makes them" : "");
    if (auto none = record::software_obstacle(); !none.empty())
      return fail("{}, and those of the processor cannot be used: {}", none, why);
  }
  return record::record_in_software(settings.record);
}

// In percent: from here on windows slow a program down about as much as counting all that it does
// (bench/record.md), and tell less.
constexpr double most_slowdown = 40;

// Code that is new to a recording is asked for; a window of most programs does that two to four times,
// of a compiler ninety times.
bool runs_much_once(const record::TraceCounts& counts) {
  constexpr u64 much = 20, some = 5;  // the first one has all to ask for
  // Where no processor is free to watch for questions, each is a stop.
  return counts.windows >= some && counts.answers + counts.stops > much * counts.windows;
}

// What makes a thin recording one that is not. What is wrong shrinks with the root of what there is.
// Of a short run --exact costs little, and a larger budget is spent on its first windows, the dearest.
std::string way_to_more(const Settings& settings, const record::TraceCounts& counts,
                        double run_seconds) {
  using perf::Windows;
  double wrong = std::max(1 - counts.likeness, 1e-3) / (1 - Windows::dense_likeness);
  double times =
      std::max(wrong * wrong, 3.0 * Windows::enough / static_cast<double>(counts.windows));
  const auto& record = settings.record;
  // Of a command that has ended before, more time gives nothing.
  bool ended = !record.command.empty() && run_seconds < 0.95 * record.seconds;
  if (record.command.empty() || (record.seconds > 0 && !ended)) {
    constexpr double soon = 4, many_a_second = 20;
    // All of whose code would be translated anew.
    bool short_lived = static_cast<double>(counts.processes) > many_a_second * run_seconds;
    // It may have been ended before its time.
    double seconds = record.seconds > 0 ? std::min(record.seconds, run_seconds) : run_seconds;
    auto longer = fmt::format("--for {:.0f}", std::max(std::ceil(seconds * times), 1.0));
    return times > soon && !short_lived
               ? longer +
                     ", or with --exact, which counts every branch for two or three times the time"
               : longer;
  }
  constexpr double least = 25, short_run = 1;
  double slowdown = std::max(std::ceil(settings.slowdown * times / 5) * 5, least);
  if (record.frequency == 0 && slowdown <= most_slowdown && run_seconds > short_run)
    return fmt::format("--slowdown {:.0f}", slowdown);
  return fmt::format("--exact, which counts all of a run{}",
                     runs_much_once(counts) ? ", in ten times its time or more, as so much of its "
                                              "code runs for the first time"
                                            : "");
}

// Servers go to the background, and a recording ends with the command.
std::string way_to_those_left(const std::vector<pid_t>& left) {
  constexpr size_t most_named = 8;
  auto named = std::span(left).first(std::min(left.size(), most_named));
  return fmt::format("{} that it had started went on; pgokit record -p {}{} records what they do",
                     counted(left.size(), "process", "processes"), fmt::join(named, ","),
                     left.size() > most_named ? " --tree" : "");
}

// Before the time for it is over. Masters of servers do no work themselves.
void tell_of_processes(const record::RecordSettings& record) {
  for (pid_t pid : record.pids)
    if (record::is_stopped(pid))
      report::print(stderr, "pgokit record: process {} is stopped, and goes on by kill -CONT {}\n",
                    pid, pid);
  if (record.pids.empty() || record.tree) return;
  auto others = record::with_descendants(record.pids).size() - record.pids.size();
  if (others > 0)
    report::print(stderr, "pgokit record: {} not recorded: --tree adds {}\n",
                  counted(others, "process that was started before is",
                          "processes that were started before are"),
                  others == 1 ? "it" : "them");
}

// What the counts of --exact are of, as far as they are of all that ran.
std::string_view all_of_what(const Settings& settings, const record::RecordSummary& summary,
                             double run_seconds) {
  const auto& record = settings.record;
  if (summary.counts.without > 0 || !summary.obstacle.empty()) return "";
  if (record.command.empty()) return ": all from attaching to detaching";
  if (record.seconds > 0 && run_seconds >= record.seconds) return ": all until --for was over";
  constexpr int of_signals = 128;
  if (summary.exit_code > of_signals) return ": all until a signal ended the command";
  if (!summary.left_running.empty()) return ": all until the command ended";
  return summary.interrupted ? ": all of the run, which was interrupted" : ": all of the run";
}

void print_summary(const Settings& settings, const record::RecordSummary& summary,
                   const Source& source, double run_seconds) {
  const auto& counts = summary.counts;
  if (settings.record.exact)
    report::print(stderr, "pgokit record: {} counted{}{}",
                  counted(counts.counted, "branch", "branches"),
                  counts.contexts ? " in " + counted(counts.contexts, "context") : "",
                  all_of_what(settings, summary, run_seconds));
  else
    report::print(stderr, "pgokit record: {} by {}", describe(counts, false), source.name);
  if (!source.branch_stacks)
    report::print(stderr, ", without branch stacks: profiles of them are estimates");
  if (counts.counted && !settings.record.exact)
    report::print(stderr, ", and {} counted in {}", counted(counts.counted, "branch", "branches"),
                  counted(counts.windows, "window"));
  if (counts.accesses)
    report::print(stderr, ", and {} to memory", counted(counts.accesses, "access", "accesses"));
  if (counts.threads)
    report::print(stderr, "; {} in {}{}{}", counted(counts.threads, "thread"),
                  counted(counts.processes, "process", "processes"),
                  settings.record.only.empty() ? "" : " of ",
                  fmt::join(settings.record.only, " and "));
  report::print(stderr, "\n");
  if (counts.lost)
    report::print(stderr, "pgokit record: {} lost: the kernel had no room for them in time\n",
                  counted(counts.lost, "record was", "records were"));
  if (counts.without)
    report::print(stderr, "pgokit record: {} the code could not be followed{}{}\n",
                  counted(counts.without, "time"),
                  settings.record.exact
                      ? ", and ran uncounted until the next system call, or for 0.1 s "
                        "where that is often; a recording without --exact does not miss it"
                      : "",
                  why_not_followed(counts));
  if (counts.cut_contexts)
    report::print(stderr,
                  "pgokit record: too many contexts: {} calls and branches are counted at one that "
                  "begins later than theirs\n",
                  report::grouped(counts.cut_contexts));
  if (!summary.obstacle.empty())
    report::print(stderr, "pgokit record: a process could not be recorded: {}\n", summary.obstacle);
  if (!summary.left_running.empty())
    report::print(stderr, "pgokit record: {}\n", way_to_those_left(summary.left_running));
  if (!summary.tick_obstacle.empty())
    report::print(stderr, "pgokit record: no exact timer ({}): CPU times were polled instead\n",
                  summary.tick_obstacle);
  auto windows = perf::Windows::of(counts.windows, counts.likeness);
  bool tells_of_program = settings.record.exact || !is_nearly_all_generated(counts);
  if (counts.counted > 0 && !settings.record.exact && tells_of_program)
    report::print(stderr, "pgokit record: {}\n",
                  density_of(windows, way_to_more(settings, counts, run_seconds)));
  if (summary.ended_dense)
    report::print(
        stderr, "pgokit record: ended by --until-dense{}\n",
        settings.record.command.empty() ? "" : ": the command ran on without being recorded");
  else if (settings.record.until_dense && !summary.is_dense)
    report::print(stderr,
                  "pgokit record: it ended before the recording was dense enough for "
                  "--until-dense (95 %)\n");
  if (counts.counted > 0 && settings.slowdown > most_slowdown && !settings.record.memory)
    report::print(stderr,
                  "pgokit record: --exact costs about as much as --slowdown {}, and counts all "
                  "branches\n",
                  most_slowdown);
  if (!record::has_recorded(counts)) return;
  report::print(stderr, "pgokit record: wrote {} ({})\n", settings.record.output,
                report::file_size(summary.file_size));
  if ((counts.samples || settings.record.exact) && tells_of_program)
    print_next(settings.record.output, settings.record.command,
               counts.contexts         ? Recorded::contexts
               : settings.record.exact ? Recorded::whole_run
               : source.branch_stacks  ? Recorded::branch_stacks
                                       : Recorded::addresses,
               summary.programs.size() > 1 && !settings.record.exact ? windows : perf::Windows());
}

// Of --only.
std::string who_ran(const Settings& settings, const record::RecordSummary& summary) {
  auto text = fmt::format("no process ran {}", fmt::join(settings.record.only, " or "));
  if (summary.programs.empty()) return text;
  return fmt::format("{}, but {}; --only takes the name of a program's file or a path with a slash",
                     text, fmt::join(summary.programs, ", "));
}

std::string why_empty(const Settings& settings, const record::RecordSummary& summary) {
  if (!settings.record.only.empty() && summary.counts.processes == 0)
    return who_ran(settings, summary);
  if (!summary.obstacle.empty()) return "no process could be recorded";
  if (is_mostly_generated(summary.counts))
    return "what ran is code generated at run time, which cannot be profiled";
  bool attached = settings.record.command.empty();
  if (settings.record.exact && (!attached || summary.counts.without > 0))
    return "no code that can be followed ran";
  if (attached)
    return fmt::format("what was attached to did not run meanwhile: record for longer{}",
                       settings.record.tree || !settings.record.cgroup.empty()
                           ? ""
                           : ", or by --tree also the processes that it has started");
  if (!summary.left_running.empty())
    return "the program ended soon; " + way_to_those_left(summary.left_running);
  return fmt::format(
      "the program did not run long enough{}; --exact counts all that it does",
      summary.exit_code ? fmt::format(", and ended with exit code {}", summary.exit_code) : "");
}

// The program did its work, or failed, but there is nothing to go on with.
Error no_samples(const Settings& settings, const record::RecordSummary& summary) {
  return {fmt::format("{}: not written, as there are no {} in it: {}", settings.record.output,
                      settings.record.exact ? "counts" : "samples", why_empty(settings, summary)),
          summary.exit_code ? summary.exit_code : 1};
}

// Also with -q: make, CMake and CI show an exit code and not whose it is.
void print_exit_code(const Settings& settings, int code) {
  constexpr int interrupted = 128 + SIGINT;  // by the person who reads this
  if (code == 0 || code == interrupted || settings.record.command.empty()) return;
  constexpr int of_signals = 128;
  measure::Run run{.exit_code = code};
  report::print(stderr, "pgokit record: {} {}, and so does this; {} was written.{}\n",
                shell_line(settings.record.command), run.ending(), settings.record.output,
                code < of_signals ? " If that is no failure, record sh -c 'COMMAND || true'" : "");
}

// As the program has: a shell ends its loop where a command dies of Ctrl-C, not where it exits.
void end_by(int signal) {
  if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) return;
  std::fflush(nullptr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void print_stats(const record::RecordSummary& summary) {
  const auto& counts = summary.counts;
  auto json = report::Json::object();
  json.set("windows", counts.windows).set("samples", counts.samples).set("full", counts.full);
  json.set("without", counts.without);
  json.set("generated", counts.generated).set("crowded", counts.crowded);
  json.set("in_system_call", counts.in_kernel);
  json.set("branches", counts.branches).set("counted", counts.counted);
  json.set("accesses", counts.accesses).set("stops", counts.stops);
  json.set("answers", counts.answers);
  json.set("stopped_s", static_cast<double>(counts.stopped_ns) / 1e9);
  json.set("likeness", counts.likeness);
  json.set("threads", counts.threads).set("processes", counts.processes);
  if (counts.contexts)
    json.set("contexts", counts.contexts).set("cut_contexts", counts.cut_contexts);
  json.set("file_size", summary.file_size);
  report::print(stderr, "{}\n", report::lines(json.text()));
}

// As perf takes them: "4711" or "4711,4712".
Result<std::vector<pid_t>> parse_pids(const std::vector<std::string>& given) {
  std::vector<pid_t> pids;
  for (std::string_view list : given) {
    for (bool more = true; more;) {
      auto comma = std::min(list.find(','), list.size());
      u32 pid = 0;
      if (!parse_number(list.substr(0, comma), pid) || pid == 0 || pid > INT_MAX)
        return usage_error("--pid is the number of a process, or several with commas between them");
      if (std::ranges::count(pids, static_cast<pid_t>(pid)) == 0)
        pids.push_back(static_cast<pid_t>(pid));
      more = comma < list.size();
      list.remove_prefix(comma + more);
    }
  }
  return pids;
}

bool is_given(const Settings& settings, std::string_view option) {
  return std::ranges::count(settings.given, option) > 0;
}

// One of: a command, processes, a control group, and all there is, which may be with a command.
Status check_target(const Settings& settings) {
  const auto& record = settings.record;
  bool group = is_given(settings, "--cgroup");
  if (group && settings.cgroup.empty())
    return usage_error("--cgroup is the name of a control group");
  std::vector<std::string_view> targets;
  if (!record.command.empty()) targets.push_back("a command to run");
  if (!record.pids.empty()) targets.push_back("--pid");
  if (group) targets.push_back("--cgroup");
  if (record.all_cpus && record.command.empty()) targets.push_back("--all-cpus");
  if (targets.empty())
    return usage_error(
        "give a command to run, --pid, --cgroup or --all-cpus (pgokit record --help)");
  if (targets.size() > 1)
    return usage_error("give {} or {}, not both (pgokit record --help)", targets[0], targets[1]);
  if (record.tree && group)
    return usage_error("--tree is for --pid: all processes of a control group are recorded anyway");
  if (record.tree && record.pids.empty())
    return usage_error("--tree is for --pid: what a command starts is followed anyway");
  if (record.all_cpus && settings.software)
    return usage_error(
        "--all-cpus needs the processor's events{}: in software --cgroup and -p with "
        "--tree record many processes",
        record.exact ? ", and --exact is software" : "");
  return {};
}

Status check(const Settings& settings) {
  TRY(check_target(settings));
  for (std::string_view option :
       {"--frequency", "--slowdown", "--until-dense", "--depth", "--no-callchain", "--event",
        "--hardware", "--single-step", "--memory"})
    if (settings.record.exact && is_given(settings, option))
      return usage_error("--exact counts all that runs: there are no samples for {}", option);
  if (settings.record.contexts && !settings.record.exact)
    return usage_error("--contexts is for --exact: samples have call chains anyway");
  if (settings.record.memory && (settings.hardware || !settings.event.empty()))
    return usage_error("--memory is for --software: copied code logs what it reads and writes");
  if (settings.record.memory && settings.record.single_step)
    return usage_error("--memory is not for --single-step, which copies no code");
  if (settings.software && settings.hardware)
    return usage_error("--software and --hardware exclude each other");
  if (settings.software && !settings.event.empty())
    return usage_error("--event {} is of the processor, which --software does without",
                       settings.event);
  if (is_given(settings, "--frequency") &&
      (settings.record.frequency == 0 || settings.record.frequency > 100'000))
    return usage_error("--frequency is 1 to 100000");
  if (is_given(settings, "--frequency") && is_given(settings, "--slowdown"))
    return usage_error("--slowdown chooses how often, and so does --frequency: give one of them");
  if (!(settings.slowdown >= 0.1 && settings.slowdown <= 1000))
    return usage_error("--slowdown is 0.1 to 1000 (percent)");
  if (!(settings.record.seconds > 0 || !is_given(settings, "--for")))
    return usage_error("--for is a number of seconds above 0");
  if (pipeline::is_program(settings.record.output))
    return usage_error("-o {}: it is a program, which the recording would replace",
                       settings.record.output);
  for (const auto& one : settings.record.only) {
    if (one.empty() || one.starts_with('-'))
      return usage_error("--only is the name or path of a program");
    if (one.contains('/') && access(one.c_str(), F_OK) != 0)
      return usage_error(
          "--only {}: there is no such file; a name without a slash is looked for anywhere", one);
  }
  if (!settings.record.only.empty() && settings.record.all_cpus)
    return usage_error(
        "--only is not for --all-cpus: pgokit generate -b takes one of the programs");
  if (settings.depth == 0 || settings.depth > 128) return usage_error("--depth is 1 to 128");
  return {};
}

// A run of a command that does the same makes the same file, whatever its name is.
void add_exact_command_line(record::RecordSettings& record) {
  auto& line = record.command_line;
  line.emplace_back("--exact");
  if (record.contexts) line.emplace_back("--contexts");
  if (record.seconds > 0) line.insert(line.end(), {"--for", fmt::format("{:g}", record.seconds)});
  for (const auto& one : record.only) line.insert(line.end(), {"--only", one});
  line.emplace_back("--");
  line.insert(line.end(), record.command.begin(), record.command.end());
}

int run(std::span<char* const> arguments) {
  Settings settings;
  auto& record = settings.record;
  OptionTable table{
      "pgokit record",
      "Run a command, or attach to a process, and record branch stacks and call chains.",
      {{"-o,--output", "FILE", "the recording (perf.data)", &record.output},
       {"-p,--pid", "PID[,PID]", "attach to running processes", &settings.pids},
       {"--tree", "", "with -p: and to all processes that descend from them", &record.tree},
       {"--cgroup", "NAME", "attach to all processes of a control group", &settings.cgroup},
       {"-a,--all-cpus", "", "all processes of the machine, by the processor's events",
        &record.all_cpus},
       {"--only", "PROGRAM", "of all that runs, this program alone, by its name or path",
        &record.only},
       {"--for", "SECONDS", "stop recording after that time", &record.seconds},
       {"--slowdown", "PERCENT", "look at the program as often as that slows it down (15)",
        &settings.slowdown},
       {"-F,--frequency", "N", "or: so many times per second of a thread's CPU time",
        &record.frequency},
       {"--until-dense", "", "stop recording when more of it would change little",
        &record.until_dense},
       {"--depth", "N", "branches in a stack (32)", &settings.depth},
       {"--no-callchain", "", "branch stacks only", &settings.no_callchain},
       {"--software", "", "do not use the processor's branch stacks", &settings.software},
       {"--hardware", "", "use nothing else", &settings.hardware},
       {"-e,--event", "NAME", "one event of those that 'pgokit doctor' lists", &settings.event},
       {"--exact", "", "count every branch of the whole run instead of taking samples",
        &record.exact},
       {"--contexts", "", "with --exact: by calling context, for 'pgokit generate --cs'",
        &record.contexts},
       {"--memory", "",
        "sample loads and stores with the addresses of their data too (in software)",
        &record.memory},
       {"--single-step", "", "", &record.single_step, false, true},
       {"--stats", "", "print the figures of the summary as JSON", &settings.stats},
       {"-q,--quiet", "", "no progress and no summary", &settings.quiet}},
      "The program's output, signals and exit code pass through.\n\n"
      "  pgokit record -- ./app arguments\n"
      "  pgokit record -o app.perf -p 4711 --for 10\n"
      "  pgokit record -o app.perf --cgroup system.slice/nginx.service --for 30\n",
      &record.command,
      {"[options] -- COMMAND [ARG...]", "[options] -p PID[,PID]", "[options] --cgroup NAME",
       "[options] -a [-- COMMAND [ARG...]]"}};
  table.given = &settings.given;
  if (auto exit = parse_options(table, arguments)) return *exit;
  settings.software |= record.single_step || record.exact;
  auto pids = parse_pids(settings.pids);
  if (!pids) return report_failure("record", pids.error());
  record.pids = std::move(*pids);
  if (auto status = check(settings); !status) return report_failure("record", status.error());
  if (!settings.cgroup.empty()) {
    auto group = record::ControlGroup::find(settings.cgroup);
    if (!group) return report_failure("record", group.error());
    record.cgroup = group->folder();
  }
  settings.software |= record.memory;
  record.depth = static_cast<u32>(settings.depth);
  record.callchain = !settings.no_callchain;
  record.slowdown = settings.slowdown / 100;
  record.command_line = {"pgokit", "record"};
  if (record.exact && !record.command.empty())
    add_exact_command_line(record);
  else
    record.command_line.insert(record.command_line.end(), arguments.begin(), arguments.end());
  Source source;
  auto start = std::chrono::steady_clock::now();
  auto summary = [&] {
    Progress progress("recording", 0);
    if (!settings.quiet) {
      tell_of_processes(record);
      record.progress = [&](const record::TraceCounts& counts) {
        progress.show(describe(counts, record.exact));
      };
    }
    return record_somehow(settings, source);
  }();
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!summary) return report_failure("record", summary.error());
  if (settings.stats)
    print_stats(*summary);
  else if (!settings.quiet)
    print_summary(settings, *summary, source, taken.count());
  int code = summary->exit_code;
  if (!record::has_recorded(summary->counts))
    code = report_failure("record", no_samples(settings, *summary));
  else if (!settings.stats)
    print_exit_code(settings, code);
  end_by(summary->signal);
  return code;
}

}  // namespace

constexpr Command record_command{"record", "run a program and record its branches", run};

}  // namespace pgokit::cli
