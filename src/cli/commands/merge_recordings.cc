#include "cli/commands/merge_recordings.h"

#include "base/file.h"
#include "perf/branch_counts.h"
#include "perf/recording_sum.h"
#include "pipeline/inputs.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

constexpr const char* no_counts =
    "there are no branch counts in it, which are what is added up ('pgokit record' in software "
    "counts, with --exact the whole run); 'pgokit generate' makes one profile of several "
    "recordings "
    "of any kind";

struct Notes {
  size_t left_out = 0;
  size_t with_contexts = 0;  // whose counts by calling context are left out
};

// `is_read`: the file is sound, and what is wrong is that it does not go with the others.
Status add(perf::RecordingSum& sum, const profile::MergeInput& input, bool& is_read, Notes& notes) {
  auto file = TRY(MappedFile::open(input.path));
  is_read = !perf::Recording::recognizes(file.bytes());
  if (is_read)
    return fail("{}: it is no recording (perf.data), as others of the inputs are", input.path);
  auto recording = TRY_IN(input.path, perf::Recording::open(file.bytes()));
  if (!recording.ending().whole) return fail("{}: {}", input.path, recording.ending().why);
  Bytes encoded = recording.features().branch_counts;
  is_read = encoded.empty();
  if (is_read) return fail("{}: {}", input.path, no_counts);
  auto counts = TRY_IN(input.path, perf::decode_branch_counts(encoded));
  is_read = true;
  TRY_IN(input.path, sum.add(recording, std::move(counts), input.weight));
  notes.with_contexts += !recording.features().branch_contexts.empty();
  return {};
}

}  // namespace

bool are_recordings(const pipeline::Inputs& inputs) {
  for (const auto& input : inputs) {
    auto file = MappedFile::open(input.path);
    if (file && pipeline::identify(file->bytes()) == &pipeline::inputs::recording) return true;
  }
  return false;
}

Result<int> merge_recordings(const pipeline::Inputs& inputs, const MergeRecordings& options) {
  perf::RecordingSum sum;
  Notes notes;
  for (const auto& input : inputs) {
    bool is_read = false;
    auto status = add(sum, input, is_read, notes);
    if (status) continue;
    if (is_read || options.strict) return std::unexpected(std::move(status).error());
    report::print(stderr, "pgokit merge: warning: {}: left out\n", status.error().message);
    ++notes.left_out;
  }
  if (sum.empty()) return fail("no input can be used; nothing is written");
  TRY(sum.write(options.output));
  if (options.quiet) return notes.left_out ? 3 : 0;
  auto sums = sum.sums();
  report::print(
      stderr, "merged {} of {}\n{}: {} counted in {}, {}\n",
      report::grouped(inputs.size() - notes.left_out), report::counted(inputs.size(), "recording"),
      options.output, report::counted(sums.branches.size(), "branch", "branches"),
      report::counted(sums.files.size(), "file"),
      sums.of_all() ? sums.part_of_run ? "of all that ran, in parts of runs" : "of whole runs"
                    : "of " + report::counted(sums.windows.number, "window"));
  if (notes.with_contexts)
    report::print(stderr, "left out counts by calling context, of {}\n",
                  report::counted(notes.with_contexts, "recording"));
  return notes.left_out ? 3 : 0;
}

}  // namespace pgokit::cli
