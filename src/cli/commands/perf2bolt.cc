// perf2bolt 22.
#include "base/cursor.h"
#include "base/file.h"
#include "base/shell_word.h"
#include "bolt/fdata.h"
#include "bolt/loads.h"
#include "bolt/preaggregated.h"
#include "bolt/recording_traces.h"
#include "bolt/yaml.h"
#include "cli/commands/commands.h"
#include "cli/llvm/llvm_options.h"
#include "cli/llvm/perf2bolt_options.h"
#include "pipeline/several_programs.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

// "17 (0.3%)", as that tool prints shares.
std::string share(u64 part, u64 all) {
  if (all == 0) return fmt::format("{}", part);
  return fmt::format("{} ({:.1f}%)", part,
                     100.0 * static_cast<double>(part) / static_cast<double>(all));
}

void warn_of_mismatch(u64 part, u64 all, u64 percent) {
  if (all && part > all / 100 * percent)
    report::print(
        "\n !! WARNING !! This high mismatch ratio indicates the input binary is probably not the "
        "same binary used during profiling collection. The generated data may be ineffective for "
        "improving performance\n\n");
}

// What goes into the profile of a program, of either kind.
struct Read {
  bolt::Traces traces;
  std::vector<bolt::AddressCount> addresses;
  std::vector<std::string> events;
  std::vector<bolt::Load> loads;
};

// One of the programs, and its profile.
struct Job {
  program::Program program;
  std::optional<pipeline::NamedOutput> fdata, yaml;
  std::optional<bolt::YamlMaker> yaml_maker;
  Read read = {};

  const std::string& path() const { return fdata ? fdata->path : yaml->path; }
  void write(std::string_view part) {
    if (fdata) fdata->file.write(part);
    if (yaml_maker) yaml_maker->write(part);
  }
};

void say_build(const program::Program& program, bool by_name) {
  auto id = object::hex(program.file().build_id());
  if (id.empty()) {
    report::print(stderr,
                  "BOLT-WARNING: build-id will not be checked because we could not read one from "
                  "input binary\n");
    return;
  }
  report::print("BOLT-INFO: binary build-id is:     {}\n", id);
  if (by_name)
    report::print(stderr,
                  "PERF2BOLT-WARNING: build-id will not be checked because perf data was recorded "
                  "without it\n");
  else
    report::print("PERF2BOLT: matched build-id\n");
}

std::unexpected<Error> did_not_run(const program::Program& program, const std::string& other) {
  if (!other.empty())
    return fail(
        "failed to match build-id from perf output: the recording has build {} of {}, this is {}; "
        "give the program that was recorded, or -ignore-build-id",
        other, program.name(), object::hex(program.file().build_id()));
  return fail("could not find a profile matching binary \"{}\": 'pgokit show' lists what ran",
              program.path());
}

std::unexpected<Error> no_samples(const program::Program& program) {
  return fail(
      "no sample is of {}: of counts, as pgokit record --exact makes them, 'pgokit generate --for "
      "bolt RECORDING -b {}' makes a profile",
      program.name(), shell_word(program.path()));
}

Status take(bolt::RecordingAddresses&& read, const program::Program& program, Read& into) {
  if (read.mappings == 0) return did_not_run(program, read.other_build);
  say_build(program, read.matched_by_name);
  report::print("PERF2BOLT: input binary is associated with {} PID(s)\n", read.processes);
  u64 samples = read.use.samples() - read.use[samples::Fate::elsewhere];
  report::print("PERF2BOLT: read {} basic samples\n", samples);
  if (samples == 0) return no_samples(program);
  into.addresses = std::move(read.counts);
  // As perf script prints them.
  for (auto& event : read.event_names) into.events.push_back(event + ":");
  return {};
}

Status take(bolt::RecordingTraces&& read, const program::Program& program, Read& into) {
  if (read.mappings == 0) return did_not_run(program, read.other_build);
  say_build(program, read.matched_by_name);
  report::print("PERF2BOLT: input binary is associated with {} PID(s)\n", read.processes);
  report::print("PERF2BOLT: read {} samples and {} brstack entries\n", read.of_program,
                read.entries);
  if (read.of_program == 0) return no_samples(program);
  if (read.without_branches == read.of_program)
    report::print(stderr,
                  "PERF2BOLT-WARNING: all recorded samples for this binary lack brstack. Record "
                  "profile with perf record -j any or run perf2bolt in non-brstack mode with -ba "
                  "(the performance improvement in -ba mode may be limited)\n");
  u64 all = read.use.samples(), ignored = all - read.of_program;
  report::print("PERF2BOLT: ignored samples: {}\n", share(ignored, all));
  if (ignored > all / 2)
    report::print(stderr,
                  "PERF2BOLT-WARNING: less than 50% of all recorded samples were attributed to the "
                  "input binary\n");
  into.traces = std::move(read.traces);
  return {};
}

// What a recording holds of each of the programs, read once.
struct Readings {
  std::vector<bolt::RecordingTraces> traces;
  std::vector<bolt::RecordingAddresses> addresses;
  std::vector<std::vector<bolt::Load>> loads;

  Status take_one(size_t number, Job& job) {
    if (!loads.empty()) job.read.loads = std::move(loads[number]);
    return addresses.empty() ? take(std::move(traces[number]), job.program, job.read)
                             : take(std::move(addresses[number]), job.program, job.read);
  }
};

Result<Readings> read_recording(const Perf2BoltSettings& settings, Bytes bytes,
                                std::span<const Job> jobs) {
  auto threads = static_cast<unsigned>(settings.threads);
  auto recording = TRY(perf::Recording::open(bytes, threads));
  if (!recording.ending().whole)
    report::print(stderr, "PERF2BOLT-WARNING: the recording is not whole: {}\n",
                  recording.ending().why);
  samples::RecordingOptions how{
      .ignore_build_id = settings.ignore_build_id, .kernel = false, .threads = threads};
  if (settings.pid) how.pid = static_cast<u32>(settings.pid);
  std::vector<const program::Program*> programs;
  for (const auto& job : jobs) programs.push_back(&job.program);
  Readings readings;
  if (settings.basic)
    readings.addresses = TRY(bolt::read_addresses(recording, programs, how));
  else
    readings.traces =
        TRY(bolt::read_traces(recording, programs, how, !settings.kernel_entries_left_out));
  if (!settings.basic && settings.with_loads)
    readings.loads = TRY(bolt::read_loads(recording, programs, how));
  return readings;
}

Status read_text(Bytes bytes, const program::Program& program, Read& into) {
  report::print("PERF2BOLT: parsing pre-aggregated profile...\n");
  auto read = TRY(bolt::read_preaggregated(as_text(bytes), object::hex(program.file().build_id())));
  report::print("PERF2BOLT: read {} aggregated brstack entries\n", read.lines);
  into.traces = std::move(read.traces);
  into.addresses = std::move(read.addresses);
  into.events = std::move(read.events);
  return {};
}

u64 write_basic(Job& job, const bolt::Functions& functions) {
  auto profile = bolt::address_profile(functions, job.read.addresses);
  report::print("PERF2BOLT: out of range samples recorded in unknown regions: {}\n",
                share(profile.out_of_range, profile.samples));
  warn_of_mismatch(profile.out_of_range, profile.samples, 80);
  bolt::write_fdata(profile, job.read.events, functions,
                    [&](std::string_view part) { job.write(part); });
  return profile.rows.size();
}

u64 write_branches(Job& job, const bolt::Functions& functions, unsigned threads) {
  auto profile = bolt::branch_profile(job.program.file(), functions, job.read.traces, threads);
  report::print("PERF2BOLT: traces mismatching disassembled function contents: {}\n",
                share(profile.mismatching, profile.ranges));
  warn_of_mismatch(profile.mismatching, profile.ranges, 10);
  report::print("PERF2BOLT: out of range traces involving unknown regions: {}\n",
                share(profile.out_of_range, profile.ranges));
  bolt::write_fdata(profile, functions, [&](std::string_view part) { job.write(part); });
  return profile.rows.size();
}

// Lines of a profile.
struct Rows {
  u64 branches = 0, loads = 0;
};

u64 write_loads(Job& job, const bolt::Functions& functions) {
  if (job.read.loads.empty()) return 0;
  bolt::DataObjects objects(job.program.file(), functions);
  auto rows = bolt::load_profile(functions, objects, job.read.loads);
  bolt::write_fdata(rows, functions, objects, [&](std::string_view part) { job.write(part); });
  return rows.size();
}

Result<Rows> write(Job& job, bool basic, unsigned threads) {
  auto functions = bolt::Functions::of(job.program.file());
  if (functions.has_relocations()) report::print("BOLT-INFO: enabling relocation mode\n");
  report::print("PERF2BOLT: processing {}...\n",
                basic ? "basic events (without brstack)" : "branch events");
  Rows rows;
  rows.branches = basic ? write_basic(job, functions) : write_branches(job, functions, threads);
  rows.loads = write_loads(job, functions);
  if (job.yaml_maker) TRY(job.yaml_maker->make(job.program.path(), job.yaml->file));
  return rows;
}

Result<pipeline::NamedOutput> open_output(std::string path) {
  auto file = TRY(OutputFile::create(path));
  return pipeline::NamedOutput{std::move(path), std::move(file)};
}

Result<std::vector<Job>> open_jobs(const Perf2BoltSettings& settings) {
  std::vector<Job> jobs;
  bool as_yaml = settings.profile_format == "yaml";
  const auto& form = as_yaml ? pipeline::outputs::yaml : pipeline::outputs::fdata;
  std::vector<std::string> paths{settings.output};
  if (settings.programs.size() > 1)
    for (paths.clear(); const auto& name : settings.programs)
      paths.push_back(TRY(pipeline::path_for(settings.output, name, form)));
  TRY(pipeline::check_distinct(paths));
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto& name = settings.programs[i];
    auto program = TRY(program::Program::open(name, {}));
    TRY_IN(name, bolt::check_program(program.file()));
    Job& job = jobs.emplace_back(std::move(program));
    (as_yaml ? job.yaml : job.fdata) = TRY(open_output(std::move(paths[i])));
    if (!settings.yaml.empty()) job.yaml = TRY(open_output(settings.yaml));
    if (job.yaml) job.yaml_maker = TRY(bolt::YamlMaker::create(settings.llvm_bolt));
  }
  return jobs;
}

Status commit(std::vector<Job>& jobs) {
  std::vector<pipeline::PendingOutput> profiles;
  for (auto& job : jobs)
    for (auto* output : {&job.fdata, &job.yaml})
      if (*output) profiles.push_back((*output)->pending());
  return pipeline::commit_together(profiles);
}

Status perf2bolt(Perf2BoltSettings& settings) {
  TRY(check_options(settings));
  auto folder =
      settings.programs.size() > 1 ? TRY(pipeline::folder_for(settings.output)) : OutputFolder();
  auto jobs = TRY(open_jobs(settings));
  auto file = TRY(MappedFile::open(settings.recording));
  report::print("PERF2BOLT: Starting data aggregation job for {}\n", settings.recording);
  Readings readings;
  if (!settings.preaggregated)
    readings = TRY_IN(settings.recording, read_recording(settings, file.bytes(), jobs));
  std::vector<Rows> rows;
  for (size_t i = 0; i < jobs.size(); ++i) {
    auto& job = jobs[i];
    if (jobs.size() > 1) report::print("PERF2BOLT: profile of {}\n", job.program.path());
    TRY_IN(settings.recording, settings.preaggregated
                                   ? read_text(file.bytes(), job.program, job.read)
                                   : readings.take_one(i, job));
    rows.push_back(TRY(write(job, settings.basic, static_cast<unsigned>(settings.threads))));
  }
  TRY(commit(jobs));
  for (size_t i = 0; i < jobs.size(); ++i)
    report::print("PERF2BOLT: wrote {} objects and {} memory objects to {}\n", rows[i].branches,
                  rows[i].loads, jobs[i].path());
  return {};
}

int run(std::span<char* const> arguments) {
  Perf2BoltSettings settings;
  if (auto exit = parse_llvm_options(perf2bolt_options(settings), arguments)) return *exit;
  auto status = perf2bolt(settings);
  if (status) return 0;
  report::print(stderr, "PERF2BOLT-ERROR: {}\n", status.error().message);
  return 1;
}

}  // namespace

constexpr Command perf2bolt_command{"perf2bolt", "make a profile for BOLT with perf2bolt's options",
                                    run};

}  // namespace pgokit::cli
