#include "cli/commands/merge_raw.h"

#include "base/cursor.h"
#include "base/file.h"
#include "pipeline/inputs.h"
#include "report/numbers.h"
#include "report/print.h"
#include "samples/autofdo_text.h"
#include "samples/raw_profile.h"
#include "samples/raw_sum.h"

namespace pgokit::cli {
namespace {

Status add(samples::RawSum& sum, std::string_view text, u64 weight) {
  if (samples::looks_like_autofdo_text(text))
    return fail("has AutoFDO's counts, which are not merged: 'pgokit generate' adds several up");
  if (text.starts_with('[') || samples::looks_like_raw_profile(text)) return sum.add(text, weight);
  return fail("holds no raw counts as the others do");
}

}  // namespace

bool are_raw_counts(const pipeline::Inputs& inputs) {
  for (const auto& input : inputs) {
    auto file = MappedFile::open(input.path);
    const auto* kind = file ? pipeline::identify(file->bytes()) : nullptr;
    if (kind == &pipeline::inputs::raw_counts || kind == &pipeline::inputs::autofdo_text)
      return true;
  }
  return false;
}

Result<int> merge_raw(const pipeline::Inputs& inputs, const MergeRaw& options) {
  samples::RawSum sum;
  size_t left_out = 0;
  for (const auto& input : inputs) {
    auto file = MappedFile::open(input.path);
    Status status = file ? add(sum, as_text(file->bytes()), input.weight)
                         : Status(std::unexpected(file.error()));
    if (status) continue;
    auto error = file ? std::move(status).error().in(input.path) : status.error();
    if (options.strict) return std::unexpected(std::move(error));
    report::print(stderr, "pgokit merge: warning: {}: left out\n", error.message);
    ++left_out;
  }
  if (sum.empty()) return fail("no input can be used; nothing is written");
  auto output = TRY(OutputFile::create(options.output));
  sum.write([&](std::string_view part) { output.write(part); });
  TRY(output.commit());
  if (!options.quiet)
    report::print(stderr, "merged {} of {} of raw counts\n",
                  report::grouped(inputs.size() - left_out),
                  report::counted(inputs.size(), "input"));
  return left_out ? 3 : 0;
}

}  // namespace pgokit::cli
