#include <algorithm>
#include <iterator>

#include "analysis/stale.h"
#include "base/file.h"
#include "cli/built_programs.h"
#include "cli/commands/commands.h"
#include "cli/compilers.h"
#include "cli/options.h"
#include "pipeline/inputs.h"
#include "pipeline/outputs.h"
#include "profile/format.h"
#include "profile/losses.h"
#include "profile/model/coverage.h"
#include "report/function_names.h"
#include "report/json.h"
#include "report/markdown.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using analysis::StaleReport;
using report::grouped;
using report::Json;

struct Settings {
  std::string profile, output, format;
  std::vector<std::string> binaries;
  program::ProgramOptions program;
  u64 top = 5, threads = 0;
  bool json = false, markdown = false, mangled = false;
};

std::string share(const StaleReport::Functions& part, const StaleReport::Functions& all) {
  return report::format("{:>9}  {:>8} of the samples", grouped(part.functions),
                        report::percent(part.samples, all.samples));
}

std::string as_text(const Settings& s, const StaleReport& report) {
  std::string text = report::format("profile    {}\n", s.profile);
  for (const auto& binary : s.binaries) text += report::format("program    {}\n", binary);
  text += report::format("functions  {:>9}\n", grouped(report.all.functions));
  text += report::format("unchanged  {}\n", share(report.unchanged, report.all));
  text += report::format("changed    {}\n", share(report.moved, report.all));
  text += report::format("lost       {}\n", share(report.lost, report.all));
  if (report.other_path.functions)
    text += report::format("other path {}: static functions named by another source path\n",
                           share(report.other_path, report.all));
  if (report.moved.functions) {
    text += report::format(
        "call sites {} of {} in changed functions found again; {} places moved\n",
        grouped(report.call_sites_found), grouped(report.call_sites), grouped(report.places_moved));
    if (report.changed_without_call_sites)
      text += report::format("           none was found of {} of these functions\n",
                             grouped(report.changed_without_call_sites));
  }
  report::FunctionNames names(s.mangled);
  auto listed = [&](const auto& list) {
    return std::span(list).first(s.top ? std::min<size_t>(s.top, list.size()) : list.size());
  };
  for (const auto& [from, to, samples] : listed(report.renamed)) names.add(from), names.add(to);
  for (const auto& name : listed(report.lost_names)) names.add(name);
  for (const auto& [from, to, samples] : listed(report.renamed))
    text += report::format("renamed    {} -> {}\n", names.of(from), names.of(to));
  if (s.top && report.renamed.size() > s.top)
    text += report::format("... and {} more renamed\n", grouped(report.renamed.size() - s.top));
  for (const auto& name : listed(report.lost_names))
    text += report::format("not found  {}\n", names.of(name));
  if (s.top && report.lost_names.size() > s.top)
    text += report::format("... and {} more not found (--top 0 shows all)\n",
                           grouped(report.lost_names.size() - s.top));
  return text;
}

// Nearly all of it is of something else.
bool is_of_others(const StaleReport& report) {
  constexpr double most = 0.8;
  return static_cast<double>(report.lost.samples) > most * static_cast<double>(report.all.samples);
}

// GCC's profiles are for its own option.
std::string written_text(const Settings& s, const StaleReport& report, profile::Format format,
                         size_t size) {
  if (s.output == "-") return "";
  auto text = report::format("wrote      {} ({}, {})\n", s.output, format_name(format),
                             report::file_size(size));
  if (format == profile::Format::gcov || is_of_others(report)) return text;
  return text + report::format("next       {}\n", build_system_command(s.output));
}

std::string as_markdown(const Settings& s, const StaleReport& report) {
  auto row = [&](std::string name, const StaleReport::Functions& part) -> std::vector<std::string> {
    return {std::move(name), grouped(part.functions),
            report::percent(part.samples, report.all.samples)};
  };
  return report::markdown(
      {.title = "Matched to a newer build",
       .name = s.profile,
       .verdict = fmt::format(
           "{} of the samples kept",
           report::percent(report.all.samples - report.lost.samples, report.all.samples)),
       .columns = {"functions", "", "of the samples"},
       .rows = {row("unchanged", report.unchanged), row("changed", report.moved),
                row("lost", report.lost)},
       .details = as_text(s, report)});
}

Json functions_json(const StaleReport::Functions& functions) {
  return std::move(
      Json::object().set("functions", functions.functions).set("samples", functions.samples));
}

std::string as_json(const Settings& s, const StaleReport& report,
                    const std::vector<std::string>& lost_on_the_way) {
  Json renamed = Json::array(), lost = Json::array(), warnings = Json::array();
  for (const auto& [from, to, samples] : report.renamed)
    renamed.push(std::move(Json::object().set("from", from).set("to", to).set("samples", samples)));
  for (const auto& name : report.lost_names) lost.push(name);
  for (const auto& loss : lost_on_the_way) warnings.push(loss);
  Json json = Json::object();
  json.set("profile", s.profile);
  add_programs(json, s.binaries);
  json.set("all", functions_json(report.all))
      .set("unchanged", functions_json(report.unchanged))
      .set("changed", functions_json(report.moved))
      .set("lost", functions_json(report.lost))
      .set("other_path", functions_json(report.other_path))
      .set("call_sites", report.call_sites)
      .set("call_sites_found", report.call_sites_found)
      .set("places_moved", report.places_moved)
      .set("changed_without_call_sites", report.changed_without_call_sites)
      .set("renamed", std::move(renamed))
      .set("not_found", std::move(lost))
      .set("warnings", std::move(warnings));
  return json.text() + "\n";
}

Result<profile::Format> output_format(const Settings& s, profile::Format of_input) {
  if (s.format.empty())
    return of_input == profile::Format::compact ? profile::Format::extbinary : of_input;
  return pipeline::profile_format_named(s.format);
}

Status match(Settings& s) {
  if (s.json && s.markdown) return usage_error("--json and --markdown: one of them");
  auto file = TRY(MappedFile::open(s.profile));
  TRY(pipeline::refuse_other_than_profile(s.profile, file.bytes()));
  auto read = TRY_IN(s.profile, profile::read_profile_to_write(file.bytes()));
  if (is_coverage(read.profile))
    return fail("{}: it says which functions ran (coverage), and has no counts to match",
                s.profile);
  auto format = TRY(output_format(s, read.format));
  bool probes = read.profile.flags.probe_based;
  auto built = TRY(open_built({.files = s.binaries,
                               .program = s.program,
                               .probes = probes,
                               .threads = static_cast<unsigned>(s.threads)}));
  StaleReport report;
  auto matched = analysis::match_profile(read.profile, built.shape, report);
  if (matched.functions().empty())
    return fail("{} has none of the functions of {}: is it the same program?",
                names_of_built(s.binaries), s.profile);
  profile::WriteOptions options{.md5_names = read.md5_names, .notes = true};
  auto losses = probe::losses(built.shape.probe_damage);
  if (is_of_others(report))
    losses.push_back(fmt::format(
        "{} of the samples are of functions that {} has not: is it the same program? Of a "
        "profile of several programs or libraries give each with -b",
        report::percent(report.lost.samples, report.all.samples), names_of_built(s.binaries)));
  std::ranges::move(profile::losses(matched, format, options), std::back_inserter(losses));
  auto bytes = TRY(write_profile(matched, format, options));
  auto output = TRY(OutputFile::create(s.output));
  output.write(bytes);
  TRY(output.commit());
  auto* where = s.output == "-" ? stderr : stdout;
  for (const auto& loss : losses) report::print(stderr, "pgokit match: warning: {}\n", loss);
  report::print(where, "{}",
                report::lines(s.json       ? as_json(s, report, losses)
                              : s.markdown ? as_markdown(s, report)
                                           : as_text(s, report) +
                                                 written_text(s, report, format, bytes.size())));
  return {};
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "pgokit match",
      "Make a profile of an older build fit a newer one.",
      {{"PROFILE", "", "the profile of the older build", &s.profile, true},
       {"-b,--binary", "FILE",
        "the newer build, with debug information or probes; several where the profile is of "
        "several programs or libraries",
        &s.binaries, true},
       {"-o,--output", "FILE", "the profile for it", &s.output, true},
       one_of({"--format", "FORMAT", "{}; that of PROFILE", &s.format},
              {"text", "binary", "extbinary", "gcov"}, First::is_like_the_others),
       {"--debug", "FILE", "where the debug information is", &s.program.debug_path},
       {"--top", "N", "how many renamed and lost functions are listed; 0 is all", &s.top},
       {"--threads", "N", "how many at a time; 0 is all cores", &s.threads},
       mangled_option(s.mangled),
       {"--markdown", "", "tell it as Markdown, for a comment of a code review", &s.markdown},
       {"--json", "", "tell what was found as JSON", &s.json}},
      "Functions are found by name, static ones also by that of a source file elsewhere, renamed "
      "ones by callers, callees and checksum; places in\n"
      "functions that changed by the call sites around them."};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto status = match(s);
  return status ? 0 : report_failure("match", status.error());
}

}  // namespace

constexpr Command match_command{"match", "make a profile of an older build fit a newer one", run};

}  // namespace pgokit::cli
