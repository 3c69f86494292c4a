#include "base/file.h"
#include "cli/commands/commands.h"
#include "cli/compilers.h"
#include "cli/options.h"
#include "object/file.h"
#include "program/facts.h"
#include "record/hardware/machine.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::string program;
  bool json = false;
};

struct Program {
  std::string path;
  program::ProgramFacts facts;
  std::vector<std::string> advice;
};

std::vector<std::string> advice_for(const program::ProgramFacts& facts) {
  std::vector<std::string> advice;
  auto say = [&](std::string text) { advice.push_back(std::move(text)); };
  auto compiler = compiler_of(facts.producer);
  auto probes = probe_option(compiler);
  if (!facts.debug_error.empty()) say("its debug information cannot be read: " + facts.debug_error);
  if (facts.debug && facts.debug->missing_dwo)
    say(fmt::format(
        "debug information is incomplete: {} missing: {}",
        report::counted(facts.debug->missing_dwo, "split-off file is", "split-off files are"),
        facts.debug->first_missing_dwo));
  if (facts.build_id.empty())
    say(fmt::format("link with {}: recordings then name this very build",
                    compilers::build_id_option));
  if (!facts.debug && !facts.probes)
    say(fmt::format("a profile needs debug information{}: compile with {}",
                    probes.empty() ? "" : " or probes", profiling_options(compiler)));
  if (auto option = discriminator_option(compiler);
      facts.debug && !facts.debug->discriminators && !facts.probes && !option.empty())
    say(fmt::format("no discriminators: compile with {} to tell blocks of one line apart", option));
  if (facts.debug && !facts.probes && !probes.empty())
    say(fmt::format("{} gives profiles that survive changes of the source better", probes));
  if (!facts.symbols) say("stripped: keep the unstripped file for 'pgokit generate -b'");
  if (facts.instrumented)
    say("instrumented (-fprofile-generate): record a build without instrumentation");
  return advice;
}

Result<Program> look_at_program(const std::string& path) {
  auto image = TRY(MappedFile::open(path));
  auto file = TRY_IN(path, object::File::parse(image.bytes()));
  Program program{path, TRY_IN(path, program::read_facts(path, file)), {}};
  program.advice = advice_for(program.facts);
  return program;
}

std::vector<std::string> advice_for(const record::Machine& machine) {
  std::vector<std::string> advice;
  if (machine.hardware()) return advice;
  if (machine.perf_event_paranoid > 2)
    advice.push_back("sudo sysctl kernel.perf_event_paranoid=2 permits events of own programs");
  if (machine.virtual_machine)
    advice.push_back(
        "virtual machines rarely pass on branch stacks: metal instances do, and some clouds on "
        "request");
  if (machine.software_obstacle.empty() && !machine.tracing.ok())
    advice.push_back("permit ptrace(): then branches are recorded in software");
  if (machine.ptrace_scope >= 1 && !machine.attaching.ok())
    advice.push_back(
        "sudo sysctl kernel.yama.ptrace_scope=0 permits 'pgokit record -p' of programs "
        "that were not started by it");
  if (machine.privileges.seccomp && !machine.timer.ok())
    advice.push_back(
        "a seccomp profile that permits perf_event_open (docker: --security-opt seccomp=FILE) "
        "gives exact moments, and the processor's branch stacks where there are any");
  return advice;
}

std::string_view mark(bool yes) { return yes ? "yes" : "no"; }

void print_attempt(std::string_view name, std::string_view what, const record::Attempt& attempt) {
  report::print("  {:<4} {:<28} {}\n", mark(attempt.ok()), name, what);
  if (!attempt.ok()) report::print("         {}\n", attempt.why);
}

// A line on what contains this process, empty where nothing does.
std::string confinement(const record::Privileges& own) {
  std::vector<std::string_view> walls;
  if (own.pid_namespace) walls.push_back("a PID namespace");
  if (own.user_namespace) walls.push_back("a user namespace");
  if (own.seccomp) walls.push_back("a seccomp profile");
  if (walls.empty()) return {};
  return fmt::format("  inside of {}, {} CAP_SYS_PTRACE\n", fmt::join(walls, ", "),
                     own.sys_ptrace ? "with" : "without");
}

void print_machine(const record::Machine& machine) {
  report::print("machine\n  kernel {}, {}{}\n", machine.kernel, machine.processor,
                machine.virtual_machine ? ", virtual machine" : "");
  report::print("  kernel.perf_event_paranoid {}, kernel.yama.ptrace_scope {}\n",
                machine.perf_event_paranoid, machine.ptrace_scope);
  report::print("{}\n", report::lines(confinement(machine.privileges)));
  report::print("branch stacks of the processor, the best first\n");
  for (const auto& [rung, attempt] : machine.rungs)
    if (rung.branch_stack) print_attempt(rung.name, rung.what, attempt);
  print_attempt("whole processors", "rights for -a and --cgroup", machine.whole_processors);
  report::print("\nbranch stacks in software\n");
  if (machine.software_obstacle.empty()) {
    print_attempt("ptrace", "to follow a program that is started", machine.tracing);
    if (machine.tracing.ok()) {
      print_attempt("attaching", "-p and --cgroup", machine.attaching);
      if (machine.attaching.ok())
        print_attempt("other users", "-p and --cgroup of their processes", machine.foreign);
    }
    print_attempt("clock event", "exact moments; else CPU times are polled", machine.timer);
  } else {
    report::print("  {:<4} {}\n", mark(false), machine.software_obstacle);
  }
  report::print("\nwithout branch stacks\n");
  for (const auto& [rung, attempt] : machine.rungs)
    if (!rung.branch_stack) print_attempt(rung.name, rung.what, attempt);
  report::print("\n'pgokit record' will use: {}\n",
                machine.hardware()   ? "the processor's branch stacks"
                : machine.software() ? "branch stacks in software"
                                     : "nothing; see the advice");
}

void print_program(const Program& program) {
  const auto& facts = program.facts;
  const dwarf::Facts debug = facts.debug.value_or(dwarf::Facts{});
  report::print("\nprogram {}\n", program.path);
  report::print("  build id        {}\n", facts.build_id.empty() ? "none" : facts.build_id);
  if (!facts.producer.empty())
    report::print("  compiled by     {}\n", short_producer(facts.producer));
  bool is_static = facts.is_static && !facts.position_independent;
  report::print("  kind            {}, {}{}\n", facts.machine, is_static ? "static " : "",
                facts.kind);
  report::print("  symbols         {}\n", mark(facts.symbols));
  report::print("  line tables     {}\n", mark(debug.line_table_units != 0));
  report::print("  discriminators  {}\n", mark(debug.discriminators));
  report::print("  linkage names   {}\n", mark(debug.linkage_names));
  report::print("  probes          {}\n", mark(facts.probes.has_value()));
  report::print("  block map       {}   (-fbasic-block-address-map)\n", mark(facts.block_map));
}

void print_advice(std::vector<std::string> advice, const Program* program) {
  if (program) advice.insert(advice.end(), program->advice.begin(), program->advice.end());
  if (advice.empty()) return;
  report::print("\nadvice\n");
  for (const auto& line : advice) report::print("  - {}\n", line);
}

report::Json json_of(const record::Attempt& attempt) {
  auto json = report::Json::object();
  json.set("ok", attempt.ok());
  if (!attempt.ok()) json.set("error", attempt.error).set("why", attempt.why);
  return json;
}

report::Json json_of(const std::vector<std::string>& lines) {
  auto json = report::Json::array();
  for (const auto& line : lines) json.push(line);
  return json;
}

report::Json json_of(const record::Machine& machine) {
  auto rungs = report::Json::array();
  for (const auto& [rung, attempt] : machine.rungs) {
    auto one = json_of(attempt);
    one.set("event", rung.name).set("what", rung.what).set("branch_stack", rung.branch_stack);
    rungs.push(std::move(one));
  }
  auto json = report::Json::object();
  json.set("kernel", machine.kernel).set("processor", machine.processor);
  json.set("virtual_machine", machine.virtual_machine);
  json.set("perf_event_paranoid", machine.perf_event_paranoid);
  json.set("ptrace_scope", machine.ptrace_scope);
  json.set("hardware", machine.hardware()).set("software", machine.software());
  json.set("events", std::move(rungs));
  json.set("tracing", json_of(machine.tracing)).set("clock_event", json_of(machine.timer));
  json.set("attaching", json_of(machine.attaching)).set("other_users", json_of(machine.foreign));
  json.set("whole_processors", json_of(machine.whole_processors));
  const auto& own = machine.privileges;
  json.set("pid_namespace", own.pid_namespace).set("user_namespace", own.user_namespace);
  json.set("seccomp", own.seccomp).set("cap_sys_ptrace", own.sys_ptrace);
  json.set("advice", json_of(advice_for(machine)));
  return json;
}

report::Json json_of(const Program& program) {
  const auto& facts = program.facts;
  const dwarf::Facts debug = facts.debug.value_or(dwarf::Facts{});
  auto json = report::Json::object();
  json.set("path", program.path).set("build_id", facts.build_id).set("producer", facts.producer);
  json.set("machine", facts.machine)
      .set("static", facts.is_static)
      .set("position_independent", facts.position_independent);
  json.set("symbols", facts.symbols).set("debug_info", facts.debug.has_value());
  json.set("line_tables", debug.line_table_units != 0).set("discriminators", debug.discriminators);
  json.set("linkage_names", debug.linkage_names).set("probes", facts.probes.has_value());
  json.set("block_map", facts.block_map).set("instrumented", facts.instrumented);
  json.set("advice", json_of(program.advice));
  return json;
}

Status diagnose(const Settings& settings) {
  std::optional<Program> program;
  if (!settings.program.empty()) program = TRY(look_at_program(settings.program));
  auto machine = record::inspect_machine();
  if (settings.json) {
    auto json = report::Json::object();
    json.set("machine", json_of(machine));
    if (program) json.set("program", json_of(*program));
    report::print("{}\n", report::lines(json.text()));
    return {};
  }
  print_machine(machine);
  if (program) print_program(*program);
  print_advice(advice_for(machine), program ? &*program : nullptr);
  return {};
}

int run(std::span<char* const> arguments) {
  Settings settings;
  OptionTable table{"pgokit doctor",
                    "Tell what can be recorded on this machine, and what a program lacks.",
                    {{"PROGRAM", "", "a program to be looked at", &settings.program},
                     {"--json", "", "print JSON", &settings.json}},
                    ""};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = diagnose(settings);
  return status ? 0 : report_failure("doctor", status.error());
}

}  // namespace

constexpr Command doctor_command{"doctor", "what this machine can record, and what a program lacks",
                                 run};

}  // namespace pgokit::cli
