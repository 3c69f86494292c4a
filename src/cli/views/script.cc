#include "perf/script.h"

#include <algorithm>

#include "base/cursor.h"
#include "cli/views/recording.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::Json;

using report::counted;
using report::grouped;

// Counts what a script holds.
struct Counter {
  u64 with_branches = 0, entries = 0, deepest = 0, frames = 0, mappings = 0;
  u64 depth = 0;

  void mmap(const perf::MmapLine& line) { mappings += line.parsed; }
  void begin_sample(u64) { depth = 0; }
  bool frame(u64) { return ++frames, true; }
  bool end_of_frames() { return true; }
  void branch(u64, u64) { ++depth; }
  void end_sample() {
    with_branches += depth > 0;
    entries += depth;
    deepest = std::max(deepest, depth);
  }
  void bad_branch(u64, std::string_view) {}
  void no_branch_line() {}
};

struct Script {
  std::string_view path;
  u64 size;
  Counter count;
  perf::ScriptCounts lines;
  bool branches;  // there are branch stacks

  u64 samples() const { return branches ? count.with_branches : lines.samples; }
};

void print_json(const Script& script) {
  const auto& count = script.count;
  Json all = Json::object();
  all.set("kind", "perf script").set("path", script.path).set("bytes", script.size);
  all.set("call_chains", count.frames > 0).set("lines", script.lines.lines);
  all.set("samples", script.samples()).set("branch_stacks", script.branches);
  all.set("branch_entries", count.entries).set("deepest", count.deepest);
  all.set("frames", count.frames).set("mappings", count.mappings);
  all.set("broken_frames", script.lines.bad_frames);
  all.set("broken_branch_lines", script.lines.bad_branches);
  report::print("{}\n", report::lines(all.text()));
}

void print_text(const Script& script) {
  const auto& count = script.count;
  report::print("script     {} ({}, {})\n", script.path, report::file_size(script.size),
                counted(script.lines.lines, "line"));
  report::print("samples    {} {} branch stacks{}\n", grouped(script.samples()),
                script.branches ? "with" : "without", count.frames ? " and call chains" : "");
  if (script.branches)
    report::print("branches   {}, deepest stack {}\n", grouped(count.entries),
                  grouped(count.deepest));
  if (count.frames) report::print("frames     {}\n", grouped(count.frames));
  report::print("mappings   {}\n", grouped(count.mappings));
  if (!script.branches) report::print("profile    estimated, by 'pgokit generate --allow-ip'\n");
  if (script.branches && count.mappings == 0)
    report::print("problems   no mapping events: print it with --show-mmap-events\n");
  if (u64 bad = script.lines.bad_frames)
    report::print("problems   {} with a broken frame\n", counted(bad, "sample"));
  if (u64 bad = script.lines.bad_branches)
    report::print("problems   {}\n", counted(bad, "broken branch line"));
}

}  // namespace

Status show_script(std::string_view path, Bytes file, bool json) {
  auto kind = perf::detect_text(as_text(file));
  Script script{path, file.size(), {}, {}, kind != perf::ScriptKind::invalid};
  if (!script.branches) kind = perf::ScriptKind::columns;
  script.lines = perf::parse_script(as_text(file), kind, script.count);
  json ? print_json(script) : print_text(script);
  return {};
}

}  // namespace pgokit::cli
