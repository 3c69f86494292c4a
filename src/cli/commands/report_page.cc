#include "cli/commands/report_page.h"

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/quality.h"
#include "base/file.h"
#include "base/function_name.h"
#include "base/shell_word.h"
#include "cli/commands/counted_program.h"
#include "cli/commands/profile_fit.h"
#include "cli/commands/profile_of.h"
#include "cli/commands/remarks_files.h"
#include "cli/compilers.h"
#include "cli/views/density.h"
#include "order/order_file.h"
#include "page/page.h"
#include "perf/recording.h"
#include "pipeline/foreign_formats.h"
#include "pipeline/input_checks.h"
#include "pipeline/inputs.h"
#include "program/facts.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using page::Fact;
using page::Facts;
using report::as_percent;
using report::grouped;

// All that the page's contents point to.
struct Material {
  page::Contents contents;
  std::optional<CountedProgram> counted;
  std::optional<FittedProgram> fitted;  // of profiles
  profile::ReadProfile read, before;
  annotate::FunctionList list, list_before;
  page::CallTree tree;
  std::optional<annotate::FunctionRemarks> remarks;
};

Result<profile::ReadProfile> read_profile_file(const std::string& path) {
  auto file = TRY(MappedFile::open(path));
  TRY(pipeline::refuse_other_than_profile(path, file.bytes()));
  return TRY_IN(path, profile::read_profile(file.bytes()));
}

page::Verdict verdict_of(double density, const Evidence& evidence) {
  if (evidence.is_of_whole) return {"good", "all that ran was counted"};
  if (is_thin(density, evidence))
    return {"thin", fmt::format("density {}; record for longer", density_text(density, evidence))};
  return {"good",
          evidence.windows.number > 0
              ? what_windows_tell(evidence.windows)
              : fmt::format("density {}: more samples would help little", report::fixed(density))};
}

void add_quality(const profile::ReadProfile& read, double density, const Evidence& evidence,
                 page::Contents& contents) {
  auto quality = analysis::measure_quality(columns_of(read), density);
  contents.verdicts.push_back(verdict_of(density, evidence));
  Facts facts{.heading = "Profile", .rows = {}};
  facts.rows.push_back({"functions", grouped(quality.functions)});
  facts.rows.push_back({"places", grouped(quality.places)});
  facts.rows.push_back({"samples", grouped(quality.samples)});
  facts.rows.push_back({"density", report::fixed(density)});
  if (quality.entries_match_calls)
    facts.rows.push_back({"entries beside calls", as_percent(*quality.entries_match_calls)});
  if (quality.calls_beyond_places)
    facts.rows.push_back({"calls beyond their place", as_percent(*quality.calls_beyond_places)});
  contents.facts.push_back(std::move(facts));
}

void add_fit(const analysis::Fit& fit, page::Contents& contents) {
  if (fit.stale_share() > FittedProgram::noticeable)
    contents.verdicts.push_back(
        {"stale", fmt::format("{} of the samples are in functions that changed or vanished; "
                              "pgokit match makes the profile fit the program",
                              as_percent(fit.stale_share()))});
  contents.facts.push_back(
      {.heading = "Fit with the program",
       .rows = {{"stale samples", as_percent(fit.stale_share())},
                {"vanished functions", grouped(fit.vanished.functions)},
                {"changed functions", grouped(fit.changed.functions)},
                {"code of sampled functions", as_percent(fit.covered_share())}}});
}

Status add_program(const program::Program& program, page::Contents& contents) {
  auto facts = TRY_IN(program.path(), program::read_facts(program.path(), program.file()));
  Facts shown{.heading = "Program", .rows = {}};
  shown.rows = {{"file", program.path()},
                {"kind", fmt::format("{}, {}", facts.kind, facts.machine)},
                {"build id", facts.build_id.empty() ? "none" : facts.build_id},
                {"code", report::file_size(facts.code_bytes)},
                {"functions", grouped(program.functions().size())},
                {"compiler", facts.producer.empty() ? "not known" : facts.producer},
                {"debug information", facts.debug ? "yes" : "no"},
                {"pseudo probes", facts.probes ? "yes" : "no"}};
  contents.facts.push_back(std::move(shown));
  return {};
}

// Where and how it was recorded.
Status add_recording(const std::string& path, page::Contents& contents) {
  auto file = TRY(MappedFile::open(path));
  const auto* kind = pipeline::identify(file.bytes());
  Facts shown{.heading = "Recording", .rows = {{"file", path}}};
  shown.rows.push_back({"size", report::file_size(file.bytes().size())});
  if (kind == &pipeline::inputs::recording) {
    auto recording = TRY_IN(path, perf::Recording::open(file.bytes()));
    const auto& features = recording.features();
    auto add = [&](const char* name, std::string value) {
      if (!value.empty()) shown.rows.push_back({name, std::move(value)});
    };
    std::string command;
    for (auto word : features.cmdline)
      command += (command.empty() ? "" : " ") + shell_word(std::string(word));
    add("command", command);
    add("host", std::string(features.hostname));
    add("kernel", std::string(features.osrelease));
    add("processor", std::string(features.cpudesc));
    for (const auto& event : recording.events()) add("event", std::string(event.name));
    add("damage", recording.ending().whole ? "" : recording.ending().why);
  } else if (kind) {
    shown.rows.push_back({"kind", std::string(kind->name)});
  }
  contents.facts.push_back(std::move(shown));
  return {};
}

void add_use(const pipeline::ReadInput& input, page::Contents& contents) {
  if (input.ip_only)
    contents.verdicts.push_back(
        {"estimated",
         fmt::format("no branch stacks: counts are estimates, of which chance alone leaves {} "
                     "right; pgokit record records branches",
                     as_percent(input.ip_only->likely_overlap))});
  if (input.matched_by_name)
    contents.verdicts.push_back(
        {"unsure", "the recording does not tell which build ran: names alone agree"});
  if (input.use.samples() == 0) return;
  Facts shown{.heading = "Samples", .rows = {{"used", grouped(input.use.used())}}};
  for (const auto& cause : samples::drop_causes)
    if (u64 count = input.use[cause.fate])
      shown.rows.push_back({fmt::format("dropped: {}", cause.text), grouped(count)});
  contents.facts.push_back(std::move(shown));
}

void add_commands(const PageOptions& options, page::Contents& contents) {
  std::string inputs;
  for (const auto& input : options.inputs) inputs += " " + shell_word(input);
  std::string binary = options.binary.empty() ? "" : " -b " + shell_word(options.binary);
  Facts shown{.heading = "Commands", .rows = {}};
  if (!options.of_profile) shown.rows.push_back({"profile", "pgokit generate" + inputs + binary});
  std::string report = "pgokit report" + inputs + binary;
  if (!options.before.empty()) report += " --before " + shell_word(options.before);
  if (!options.order.empty()) report += " --order " + shell_word(options.order);
  if (!options.explanation.empty()) report += " --explanation " + shell_word(options.explanation);
  if (!options.measurement.empty()) report += " --measurement " + shell_word(options.measurement);
  if (!options.source.empty()) report += " --source " + shell_word(options.source);
  if (!options.remarks.empty()) report += " --remarks " + shell_word(options.remarks);
  if (options.max_size != usual_size) report += fmt::format(" --max-size {}", options.max_size);
  shown.rows.push_back({"this page", report + " -o " + shell_word(options.output)});
  contents.facts.push_back(std::move(shown));
}

// Those of the functions whose code is shown.
Status add_remarks(const PageOptions& options, Material& material) {
  if (options.remarks.empty()) return {};
  std::set<std::string, std::less<>> functions;
  const auto& table = material.counted->program().functions();
  for (const auto& code : material.contents.code)
    functions.emplace(canonical_function_name(table.name(code.function)));
  material.remarks.emplace(std::move(functions));
  TRY(read_remarks(options.remarks, material.counted->program(), options.threads,
                   *material.remarks));
  material.contents.remarks = &*material.remarks;
  return {};
}

// The hottest functions, while they are within what a page holds.
Status add_code(const PageOptions& options, Material& material) {
  constexpr size_t most_functions = 120, most_instructions = 30'000;
  constexpr u64 most_bytes = 16 << 10;
  const auto& counted = *material.counted;
  auto reader = TRY(annotate::CodeReader::of(counted.program(), counted.counts(), options.syntax));
  size_t instructions = 0;
  for (const auto& one : material.list.functions) {
    if (!one.function || one.instructions == 0) continue;
    if (material.contents.code.size() == most_functions || instructions >= most_instructions) break;
    material.contents.code.push_back(reader.read(*one.function, most_bytes));
    instructions += material.contents.code.back().instructions.size();
  }
  return add_remarks(options, material);
}

Status add_heat(const PageOptions& options, Material& material) {
  const auto& counted = *material.counted;
  auto& heat = material.contents.heat;
  heat.emplace_back("as linked", annotate::heat_of(counted.program(), counted.counts()));
  if (options.order.empty()) return {};
  auto file = TRY(MappedFile::open(options.order));
  auto order = TRY_IN(options.order, order::read_order(as_text(file.bytes())));
  auto then = annotate::heat_of(counted.program(), counted.counts(), &order.names);
  if (then.placed == 0)
    return fail("{}: it has none of the functions of {}: is it the same program's?", options.order,
                counted.program().path());
  heat.emplace_back(fmt::format("in the order of {}", options.order), std::move(then));
  return {};
}

Status gather_recording(const PageOptions& options, Material& material) {
  auto& contents = material.contents;
  material.counted.emplace(CountOptions{.inputs = options.inputs,
                                        .binary = options.binary,
                                        .contexts = true,
                                        .ignore_build_id = options.ignore_build_id,
                                        .threads = options.threads});
  auto& counted = *material.counted;
  TRY(counted.read());
  contents.title = std::string(counted.program().name());
  contents.program = &counted.program();
  material.list = annotate::list_functions(counted.program(), counted.counts(), counted.samples());
  const auto& generated = counted.road().generated;
  material.tree.add(counted.contexts() ? *counted.contexts() : generated.profile, 0);
  add_use(counted.road().input, contents);
  TRY(add_code(options, material));
  TRY(add_heat(options, material));
  auto bytes = TRY(profile::write_profile(generated.profile, profile::Format::extbinary));
  material.read = TRY(profile::read_profile(as_bytes(bytes)));
  add_quality(material.read, generated.density.density, evidence_of(counted.road().input),
              contents);
  for (const auto& input : options.inputs) TRY(add_recording(input, contents));
  return add_program(counted.program(), contents);
}

// The source of the hottest functions that is found.
Status add_sources(const PageOptions& options, const profile::Profile& profile,
                   Material& material) {
  if (options.source.empty()) return {};
  constexpr size_t most = 120;
  TRY(check_has_lines(profile, options.inputs[0]));
  auto folder = TRY(annotate::SourceFolder::open(options.source));
  std::vector<std::string> hottest;
  for (const auto& one : material.list.functions)
    if (hottest.size() < most) hottest.push_back(one.name);
  material.contents.sources = annotate::profiled_sources(profile, hottest, folder);
  std::erase_if(material.contents.sources, [](const auto& one) { return !one.definition; });
  return {};
}

// The program that it is of, where its notes name one.
std::string title_of(const profile::Profile& profile, const std::string& path) {
  auto notes = profile.notes.newest();
  auto same = [&](const profile::Note& note) { return note.program == notes.front().program; };
  bool known = !notes.empty() && !notes.front().program.empty() && std::ranges::all_of(notes, same);
  return known ? notes.front().program : path;
}

Status gather_profile(const PageOptions& options, Material& material) {
  auto& contents = material.contents;
  const auto& path = options.inputs[0];
  if (!options.order.empty())
    return usage_error("--order is for recordings: a profile does not tell which code ran");
  if (!options.remarks.empty())
    return usage_error("--remarks are of machine code, of which {} tells nothing", path);
  material.read = TRY(read_profile_file(path));
  const auto& profile = material.read.profile;
  material.list = annotate::list_functions(profile);
  if (material.list.functions.empty())
    return fail("{}: there is no function in it; 'pgokit check' tells more", path);
  contents.title = title_of(profile, path);
  TRY(add_sources(options, profile, material));
  // The side that is shown comes second where there are two.
  material.tree.add(profile, options.before.empty() ? 0 : 1);
  add_quality(material.read, profile::density(profile).density, evidence_of(profile.notes),
              contents);
  contents.facts.front().rows.insert(contents.facts.front().rows.begin(), Fact{"file", path});
  if (options.binary.empty()) return {};
  material.fitted.emplace(TRY(fit_with(profile, options.binary, options.threads)));
  contents.title = std::string(material.fitted->program.name());
  add_fit(material.fitted->fit, contents);
  return add_program(material.fitted->program, contents);
}

Status gather_before(const PageOptions& options, Material& material) {
  if (options.before.empty()) return {};
  if (!options.of_profile)
    return usage_error("--before is for profiles: pgokit generate makes one of a recording");
  material.before = TRY(read_profile_file(options.before));
  material.list_before = annotate::list_functions(material.before.profile);
  material.tree.add(material.before.profile, 0);
  material.contents.before = &material.list_before;
  return {};
}

// What another command printed. `key`: that its JSON has.
Result<std::string> told_by(const char* command, const std::string& path, std::string_view key) {
  if (path.empty()) return std::string();
  auto file = TRY(MappedFile::open(path));
  auto text = as_text(file.bytes());
  if (!report::is_json(text) || text.find(key) == text.npos)
    return fail("{}: it is not what pgokit {} --json prints", path, command);
  return std::string(text);
}

}  // namespace

Status check_has_lines(const profile::Profile& profile, const std::string& path) {
  if (!profile.flags.probe_based) return {};
  return usage_error(
      "--source: {} is by probes, which are no lines: give the recording and the program", path);
}

Result<OutputFile> make_page(const PageOptions& options) {
  TRY(pipeline::check_files(options.inputs, options.binary, options.output));
  auto output = TRY(OutputFile::create(options.output));
  Material material;
  TRY(options.of_profile ? gather_profile(options, material) : gather_recording(options, material));
  TRY(gather_before(options, material));
  auto& contents = material.contents;
  contents.measurement = TRY(told_by("measure", options.measurement, pipeline::key_of_measurement));
  contents.explanation = TRY(told_by("explain", options.explanation, pipeline::key_of_explanation));
  add_commands(options, contents);
  contents.most_bytes = static_cast<size_t>(options.max_size) * 1'000'000;
  contents.functions = &material.list;
  contents.tree = &material.tree;
  output.write(page::html_of(contents, options.mangled));
  return output;
}

}  // namespace pgokit::cli
