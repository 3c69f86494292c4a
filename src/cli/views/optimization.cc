#include "cli/views/optimization.h"

#include "base/shell_word.h"
#include "cli/views/measurement.h"
#include "report/json.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::Json;

MeasuredCommands measured(const optimize::Outcome& outcome) {
  return {
      .plan = outcome.plan, .measurement = outcome.measurement, .confidence = optimize::confidence};
}

Json json_of(const std::vector<std::string>& words) {
  Json json = Json::array();
  for (const auto& word : words) json.push(word);
  return json;
}

}  // namespace

std::string Optimization::as_text() const {
  auto shown = measured(outcome);
  std::string text = shown.as_text() + "\n";
  for (size_t i = 0; i < outcome.builds.size(); ++i)
    text += report::format("{:4}{}: {}\n", shown.letter(i), outcome.builds[i].name,
                           outcome.builds[i].file);
  const auto& kept = outcome.builds[outcome.kept];
  text += report::format("kept      {} is now {}\n", outcome.program,
                         outcome.kept
                             ? kept.name + ", the least time, and faster than plain for certain"
                             : "plain: no other build is faster for certain");
  if (!outcome.report.empty()) text += report::format("report    {}\n", outcome.report);
  const auto& profiled = outcome.kept ? kept : outcome.builds[1];
  text += report::format("profile   {}\n", profiled.profile);
  if (!outcome.builds[1].telling.compile.empty())
    text +=
        report::format("why       pgokit explain {} -b {}\n", shell_word(outcome.builds[1].profile),
                       shell_word(outcome.builds[1].file));
  if (!outcome.kept)
    return text + report::format(
                      "next      pgokit measure -n {} -- {}   # more rounds tell smaller gains\n",
                      3 * outcome.measurement.runs[0].size(),
                      optimize::joined(outcome.plan.commands));
  text += report::format("next      in your own build, add to CFLAGS and CXXFLAGS: {}\n",
                         optimize::joined(kept.options.compile));
  if (!kept.options.link.empty())
    text += report::format("          to LDFLAGS: {}\n", optimize::joined(kept.options.link));
  if (!kept.after.empty()) text += report::format("          then run: {}\n", kept.after);
  return text;
}

std::string Optimization::as_json() const {
  Json json = Json::object(), builds = Json::array();
  auto shown = measured(outcome);
  for (size_t i = 0; i < outcome.builds.size(); ++i) {
    const auto& build = outcome.builds[i];
    Json one = Json::object();
    one.set("name", build.name).set("letter", shown.letter(i)).set("file", build.file);
    one.set("profile", build.profile).set("compile", json_of(build.options.compile));
    one.set("link", json_of(build.options.link)).set("after", build.after);
    builds.push(std::move(one));
  }
  json.set("program", outcome.program).set("kept", outcome.builds[outcome.kept].name);
  json.set("builds", std::move(builds)).set("commands", json_of(commands));
  json.set("report", outcome.report).set("measurement", shown.json());
  return json.text() + "\n";
}

}  // namespace pgokit::cli
