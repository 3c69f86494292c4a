#include "cli/views/recording.h"

#include <algorithm>

#include "base/saturated.h"
#include "base/shell_word.h"
#include "cli/compilers.h"
#include "cli/views/density.h"
#include "cli/views/processes.h"
#include "perf/branch_contexts.h"
#include "perf/branch_counts.h"
#include "perf/programs.h"
#include "perf/summary.h"
#include "perf/trace.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using perf::RecordType;
using report::as_percent;
using report::grouped;
using report::Json;
using report::percent;

struct Facts {
  std::string_view path;
  u64 size;
  const perf::Recording& recording;
  perf::Summary sum;
  std::vector<perf::Program> programs;
  perf::Totals all = {};                                      // of the programs
  u64 top = 0;                                                // how many of them are listed; 0: all
  Result<perf::BranchCounts> counted = perf::BranchCounts{};  // of no windows where there are none
  Result<perf::BranchContexts> contexts = perf::BranchContexts{};
  std::optional<samples::MemoryUse> memory = {};
};

void row(std::string_view name, const std::string& text) {
  report::print("{:<11}{}\n", name, text);
}

std::string type_name(u32 number) {
  auto name = perf::record_type_name(RecordType(number));
  return name.empty() ? fmt::format("type {}", number) : std::string(name);
}

std::string simpleperf_version(const perf::Features& features) {
  for (const auto& [key, value] : features.meta)
    if (key == "simpleperf_version") return fmt::format("simpleperf {}", value);
  return {};
}

std::string tool(const perf::Features& features) {
  std::string name = simpleperf_version(features);
  bool own = features.version.starts_with("pgokit ");
  if (name.empty() && !features.version.empty())
    name = own ? std::string(features.version) : fmt::format("perf {}", features.version);
  return name.empty() ? "a tool that does not tell its name" : name;
}

// What the event's branch stacks hold.
std::string branch_kind(const perf::Attr& attr) {
  if (attr.only_of_memory()) return "accesses to memory";
  if (!attr.has(perf::field::branch_stack)) return "no branch stacks";
  if (attr.branch_sample_type & perf::branch::call_stack) return "call stacks by branch records";
  if (attr.branch_sample_type & perf::branch::any) return "stacks of all branches";
  return "stacks of some kinds of branches";
}

std::string rate(const perf::Attr& attr) {
  constexpr u64 task_clock = 1;  // 0 is cpu-clock
  if (attr.flags & perf::attr_flag::freq) return fmt::format("{} per second", grouped(attr.period));
  if (attr.type == perf::event_type::software && attr.config <= task_clock)
    return fmt::format("one in {} ns", grouped(attr.period));
  return fmt::format("one in {}", grouped(attr.period));
}

void print_head(const Facts& facts) {
  const auto& recording = facts.recording;
  const auto& features = recording.features();
  row("recording", fmt::format("{} ({}, {}{})", facts.path, report::file_size(facts.size),
                               recording.is_pipe() ? "pipe mode" : "file mode",
                               recording.is_compressed() ? ", compressed" : ""));
  row("made by", tool(features));
  std::vector<std::string> machine;
  for (auto text :
       {features.hostname, features.arch, features.osrelease, features.cpudesc, features.cpuid})
    if (!text.empty()) machine.emplace_back(text);
  if (features.cpus_online) machine.push_back(report::counted(features.cpus_online, "CPU"));
  if (!machine.empty()) row("on", fmt::format("{}", fmt::join(machine, ", ")));
  if (!features.cmdline.empty())
    row("command", fmt::format("{}", fmt::join(features.cmdline, " ")));
  bool only_counted = facts.counted && !facts.counted->branches.empty() && facts.sum.samples == 0;
  for (size_t i = 0; i < recording.events().size() && !only_counted; ++i) {
    const auto& event = recording.events()[i];
    row(i ? "" : "events", fmt::format("{}: {}, {}, {}", event.name,
                                       report::counted(facts.sum.events[i].samples, "sample"),
                                       rate(event.attr), branch_kind(event.attr)));
  }
}

void print_trace(const Facts& facts) {
  auto trace = perf::trace_of(facts.recording);
  if (!trace) return;
  row("trace", fmt::format("{}, {}; branch stacks are made of it by", trace->name,
                           report::file_size(trace->bytes)));
  row("", trace->command(shell_word(facts.path), "branches.perf"));
}

void print_records(const perf::Summary& sum) {
  std::vector<std::string> types;
  for (u32 i = 0; i < perf::TypeCounts::types; ++i)
    if (u64 count = sum.types.of(RecordType(i)))
      types.push_back(fmt::format("{} {}", type_name(i), grouped(count)));
  if (u64 count = sum.types.simpleperf())
    types.push_back(fmt::format("of simpleperf {}", grouped(count)));
  if (u64 count = sum.types.others()) types.push_back(fmt::format("unknown {}", grouped(count)));
  row("records", fmt::format("{}", fmt::join(types, ", ")));
}

void print_samples(const perf::Summary& sum) {
  u64 ns = sum.last_time - sum.first_time;
  std::string span = ns ? fmt::format(" in {:.3f} s", static_cast<double>(ns) / 1e9) : "";
  row("samples", grouped(sum.samples) + span);
  const auto& branches = sum.branches;
  if (branches.entries) {
    row("branches",
        fmt::format("{} in {}, deepest stack {}, empty stacks {}", grouped(branches.entries),
                    report::counted(sum.branch_stacks, "sample"), grouped(branches.deepest),
                    grouped(branches.empty_stacks)));
    auto share = [&](const char* what, u64 count) {
      if (count) row("", fmt::format("{} {}", percent(count, branches.entries), what));
    };
    share("mispredicted", branches.mispredicted);
    share("with cycle counts", branches.with_cycles);
    share("on a wrong path", branches.wrong_path);
    share("from the kernel", branches.from_kernel);
    share("with an address of zero", branches.zero_address);
  }
  if (sum.call_chains)
    row("chains",
        fmt::format("{} in {}", report::counted(sum.call_chain_entries, "entry", "entries"),
                    report::counted(sum.call_chains, "sample")));
  constexpr u64 most_processes = 10;
  if (!sum.processes.empty()) row("processes", processes_text(sum.processes, most_processes));
}

// Those of windows are weighted: only where all were counted the sum is a number of branches.
std::string counted_branches_text(const perf::BranchCounts& counts) {
  size_t different = counts.branches.size();
  if (!counts.of_all()) return report::counted(different, "different branch", "different branches");
  u64 all = 0;
  for (const auto& branch : counts.branches) all = add_saturated(all, branch.count);
  return fmt::format("{}, {}", report::counted(all / counts.scale, "branch", "branches"),
                     report::counted(different, "different one"));
}

std::string counted_of(const perf::BranchCounts& counts) {
  if (!counts.of_all()) return report::counted(counts.windows.number, "window");
  return counts.part_of_run ? "all of a part of the run" : "the whole run";
}

void print_counts(const Facts& facts) {
  if (const auto& counts = facts.counted; counts && !counts->branches.empty())
    row("counted",
        fmt::format("{} in {}, in {}{}", counted_branches_text(*counts),
                    report::counted(counts->files.size(), "file"), counted_of(*counts),
                    facts.contexts && facts.contexts->nodes.size() > 1
                        ? ", by " + report::counted(facts.contexts->nodes.size(), "calling context")
                        : ""));
  if (auto density = facts.counted ? density_of(facts.counted->windows, ways_to_more) : "";
      !density.empty())
    row("density", density);
}

std::vector<std::string> problems(const Facts& facts) {
  std::vector<std::string> list;
  const auto& sum = facts.sum;
  auto add = [&](u64 count, std::string_view noun, std::string_view what) {
    if (count) list.push_back(fmt::format("{} {}", report::counted(count, noun), what));
  };
  if (!facts.counted) list.push_back(facts.counted.error().message);
  if (!facts.contexts) list.push_back(facts.contexts.error().message);
  if (facts.contexts && facts.contexts->cut > 0)
    list.push_back(fmt::format(
        "there were too many contexts: {} calls and branches are counted at one that begins later "
        "than theirs",
        grouped(facts.contexts->cut)));
  add(sum.lost_events, "event", "lost by the kernel (a larger buffer or a longer period helps)");
  add(sum.lost_samples, "sample", "lost by the kernel");
  add(sum.types.of(RecordType::throttle), "time", "throttled (a longer period helps)");
  if (sum.aux_announced > sum.aux_bytes)
    add(sum.aux_announced - sum.aux_bytes, "byte", "of trace data missing");
  add(sum.unreadable.truncated_samples, "sample", "too short for the event's fields");
  add(sum.unreadable.truncated_records, "other record", "too short for the event's fields");
  add(sum.unreadable.unknown_events, "sample", "of an unknown event");
  add(sum.unreadable.unpack_failures, "compressed record", "that could not be unpacked");
  add(sum.types.unknown(), "record", "of unknown types");
  if (facts.recording.header_damaged()) list.emplace_back("part of the header is damaged");
  const auto& ending = facts.recording.ending();
  if (!ending.whole) list.push_back(ending.why);
  if (ending.trailing_bytes)
    list.push_back(fmt::format("{} after the last whole record",
                               report::counted(ending.trailing_bytes, "byte")));
  return list;
}

void print_programs(const Facts& facts) {
  size_t most = facts.top ? static_cast<size_t>(facts.top) : facts.programs.size();
  for (size_t i = 0; i < std::min(most, facts.programs.size()); ++i) {
    const auto& program = facts.programs[i];
    row(i ? "" : "programs",
        fmt::format("{:>7}  {:>9}  {}{}{}", as_percent(facts.all.share(program)),
                    grouped(program.samples), program.path,
                    program.build_id.empty() ? "" : "  build id ", program.build_id));
  }
  if (facts.programs.size() > most)
    row("", fmt::format("and {} more (--top 0 shows all)", grouped(facts.programs.size() - most)));
}

void print_text(const Facts& facts) {
  print_head(facts);
  print_trace(facts);
  print_records(facts.sum);
  print_samples(facts.sum);
  print_counts(facts);
  print_programs(facts);
  bool first = true;
  for (const auto& problem : problems(facts)) {
    row(first ? "problems" : "", problem);
    first = false;
  }
}

Json events_json(const Facts& facts) {
  Json list = Json::array();
  for (size_t i = 0; i < facts.recording.events().size(); ++i) {
    const auto& event = facts.recording.events()[i];
    const auto& attr = event.attr;
    Json item = Json::object();
    item.set("name", event.name).set("type", attr.type).set("config", attr.config);
    item.set(attr.flags & perf::attr_flag::freq ? "frequency" : "period", attr.period);
    item.set("sample_type", attr.sample_type).set("branch_sample_type", attr.branch_sample_type);
    item.set("samples", facts.sum.events[i].samples).set("period_sum", facts.sum.events[i].period);
    list.push(std::move(item));
  }
  return list;
}

Json branches_json(const perf::Summary& sum) {
  const auto& branches = sum.branches;
  Json item = Json::object();
  item.set("entries", branches.entries).set("samples", sum.branch_stacks);
  item.set("empty_stacks", branches.empty_stacks).set("deepest", branches.deepest);
  item.set("mispredicted", branches.mispredicted).set("predicted", branches.predicted);
  item.set("with_cycles", branches.with_cycles).set("wrong_path", branches.wrong_path);
  item.set("from_kernel", branches.from_kernel).set("to_kernel", branches.to_kernel);
  item.set("zero_address", branches.zero_address);
  return item;
}

Json programs_json(const Facts& facts) {
  Json list = Json::array();
  for (const auto& program : facts.programs)
    list.push(std::move(Json::object()
                            .set("path", program.path)
                            .set("build_id", program.build_id)
                            .set("samples", program.samples)
                            .set("share", facts.all.share(program))));
  return list;
}

Json processes_json(const perf::Summary& sum) {
  Json list = Json::array();
  for (const auto& process : sum.processes)
    list.push(std::move(Json::object().set("pid", process.pid).set("samples", process.samples)));
  return list;
}

Json records_json(const perf::Summary& sum) {
  Json records = Json::object();
  for (u32 i = 0; i < perf::TypeCounts::types; ++i)
    if (u64 count = sum.types.of(RecordType(i))) records.set(type_name(i), count);
  if (u64 count = sum.types.simpleperf() + sum.types.others()) records.set("others", count);
  return records;
}

Json build_ids_json(const perf::Features& features) {
  Json list = Json::array();
  for (const auto& entry : features.build_ids) {
    std::string id;
    for (u8 byte : entry.id) id += fmt::format("{:02x}", byte);
    list.push(std::move(Json::object().set("path", entry.path).set("build_id", id)));
  }
  return list;
}

void print_json(const Facts& facts) {
  const auto& features = facts.recording.features();
  const auto& sum = facts.sum;
  Json all = Json::object();
  all.set("kind", "recording").set("path", facts.path).set("bytes", facts.size);
  all.set("mode", facts.recording.is_pipe() ? "pipe" : "file");
  all.set("compressed", facts.recording.is_compressed());
  all.set("tool", tool(features)).set("host", features.hostname).set("arch", features.arch);
  all.set("os_release", features.osrelease).set("cpu", features.cpudesc);
  all.set("cpu_id", features.cpuid).set("cpus", features.cpus_online);
  Json words = Json::array();
  for (auto word : features.cmdline) words.push(word);
  all.set("command", std::move(words)).set("events", events_json(facts));
  all.set("records", records_json(sum)).set("samples", sum.samples);
  all.set("first_time_ns", sum.first_time).set("last_time_ns", sum.last_time);
  all.set("branches", branches_json(sum));
  u64 contexts =
      facts.contexts && facts.contexts->nodes.size() > 1 ? facts.contexts->nodes.size() : 0;
  if (const auto& counts = facts.counted; counts && !counts->branches.empty())
    all.set("counted", std::move(Json::object()
                                     .set("whole_run", counts->of_whole_run())
                                     .set("part_of_run", counts->part_of_run)
                                     .set("branches", counts->branches.size())
                                     .set("files", counts->files.size())
                                     .set("windows", counts->windows.number)
                                     .set("likeness", counts->windows.likeness().value_or(0))
                                     .set("contexts", contexts)));
  all.set(
      "call_chains",
      std::move(
          Json::object().set("samples", sum.call_chains).set("entries", sum.call_chain_entries)));
  if (auto trace = perf::trace_of(facts.recording))
    all.set("trace", std::move(Json::object().set("name", trace->name).set("bytes", trace->bytes)));
  all.set("processes", processes_json(sum));
  all.set("programs", programs_json(facts)).set("build_ids", build_ids_json(features));
  if (facts.memory) all.set("memory", memory_json(*facts.memory));
  all.set("whole", facts.recording.ending().whole);
  Json list = Json::array();
  for (const auto& problem : problems(facts)) list.push(problem);
  all.set("problems", std::move(list));
  report::print("{}\n", report::lines(all.text()));
}

}  // namespace

Status show_recording(std::string_view path, Bytes file, bool json, const ShowMemory& memory) {
  auto recording = TRY_IN(path, perf::Recording::open(file));
  Facts facts{.path = path,
              .size = file.size(),
              .recording = recording,
              .sum = perf::summarize(recording),
              .programs = perf::find_programs(recording),
              .top = memory.top};
  for (const auto& program : facts.programs) facts.all.add(program);
  if (Bytes counts = recording.features().branch_counts; !counts.empty())
    facts.counted = perf::decode_branch_counts(counts);
  if (Bytes contexts = recording.features().branch_contexts; facts.counted && !contexts.empty())
    facts.contexts = perf::decode_branch_contexts(contexts, *facts.counted);
  if (has_accesses(recording))
    facts.memory = TRY(read_memory(recording, memory));
  else if (!memory.program.empty() || memory.mangled)
    return usage_error("{} is for data, and {} has no data addresses (pgokit record --memory)",
                       memory.program.empty() ? "--mangled" : "--binary", path);
  if (json) return print_json(facts), Status{};
  print_text(facts);
  if (facts.memory && facts.memory->all.samples)
    report::print("\n{}", report::lines(memory_text(*facts.memory, memory)));
  return {};
}

}  // namespace pgokit::cli
