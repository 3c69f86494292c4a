#include "cli/views/raw_counts.h"

#include "base/cursor.h"
#include "base/saturated.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/print.h"
#include "samples/autofdo_text.h"
#include "samples/raw_sum.h"

namespace pgokit::cli {
namespace {

using report::grouped;
using report::Json;

struct Shown {
  samples::RawSum::Totals totals;
  std::vector<samples::AutofdoCounts> programs;  // of AutoFDO's, whose they are
};

Result<Shown> read(std::string_view text) {
  Shown shown;
  if (!samples::looks_like_autofdo_text(text)) {
    samples::RawSum sum;
    TRY(sum.add(text, 1));
    shown.totals = sum.totals();
    return shown;
  }
  shown.programs = TRY(samples::read_autofdo_text(text));
  auto& totals = shown.totals;
  for (const auto& program : shown.programs) {
    totals.ranges += program.counts.ranges.size();
    totals.branches += program.counts.branches.size();
    for (const auto& range : program.counts.ranges)
      totals.ran = add_saturated(totals.ran, range.count);
    for (const auto& branch : program.counts.branches)
      totals.taken = add_saturated(totals.taken, branch.count);
  }
  return shown;
}

void print_json(std::string_view path, u64 size, const Shown& shown) {
  const auto& totals = shown.totals;
  Json programs = Json::array();
  for (const auto& one : shown.programs)
    programs.push(std::move(Json::object().set("path", one.path).set("build_id", one.build_id)));
  Json json = Json::object();
  json.set("kind", "counts")
      .set("path", path)
      .set("bytes", size)
      .set("ranges", totals.ranges)
      .set("ran", totals.ran)
      .set("branches", totals.branches)
      .set("taken", totals.taken)
      .set("contexts", totals.contexts)
      .set("programs", std::move(programs));
  report::print("{}\n", report::lines(json.text()));
}

}  // namespace

Status show_raw_counts(std::string_view path, Bytes file, bool json) {
  auto shown = TRY_IN(path, read(as_text(file)));
  if (json) return print_json(path, file.size(), shown), Status();
  const auto& totals = shown.totals;
  report::print("counts     {} ({}), without names: 'pgokit generate -b PROGRAM' finds them\n",
                path, report::file_size(file.size()));
  report::print("ranges     {}, run {} times\n", grouped(totals.ranges), grouped(totals.ran));
  report::print("branches   {}, taken {} times\n", grouped(totals.branches), grouped(totals.taken));
  if (totals.contexts) report::print("contexts   {}\n", grouped(totals.contexts));
  for (const auto& one : shown.programs)
    if (!one.path.empty() || !one.build_id.empty())
      report::print("program    {}{}\n", one.path,
                    one.build_id.empty() ? "" : fmt::format(", build id {}", one.build_id));
  return {};
}

}  // namespace pgokit::cli
