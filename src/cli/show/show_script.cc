#include <algorithm>

#include "base/cursor.h"
#include "cli/show/show_recording.h"
#include "perf/script.h"
#include "report/json.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

using report::Json;

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

}  // namespace

bool is_script(Bytes file) {
  return perf::detect_script(as_text(file)) != perf::ScriptKind::invalid;
}

Status show_script(std::string_view path, Bytes file, bool json) {
  auto kind = perf::detect_script(as_text(file));
  if (kind == perf::ScriptKind::invalid)
    return fail("{}: {}", path, perf::script_problem(as_text(file)));
  Counter count;
  auto lines = perf::parse_script(as_text(file), kind, count);
  bool hybrid = kind == perf::ScriptKind::hybrid;
  if (json) {
    Json all = Json::object();
    all.set("kind", "perf script").set("path", path).set("bytes", file.size());
    all.set("call_chains", hybrid).set("lines", lines.lines).set("samples", count.with_branches);
    all.set("branch_entries", count.entries).set("deepest", count.deepest);
    all.set("frames", count.frames).set("mappings", count.mappings);
    all.set("broken_frames", lines.bad_frames).set("broken_branch_lines", lines.bad_branches);
    report::print("{}\n", all.text());
    return {};
  }
  report::print("script     {} ({} bytes, {} lines)\n", path, file.size(), lines.lines);
  report::print("samples    {} with branch stacks{}\n", count.with_branches,
                hybrid ? " and call chains" : "");
  report::print("branches   {}, deepest stack {}\n", count.entries, count.deepest);
  if (hybrid) report::print("frames     {}\n", count.frames);
  report::print("mappings   {}\n", count.mappings);
  if (lines.bad_frames)
    report::print("problems   {} samples with a broken frame\n", lines.bad_frames);
  if (lines.bad_branches) report::print("problems   {} broken branch lines\n", lines.bad_branches);
  return {};
}

}  // namespace pgokit::cli
