// Counts without the program's names, as llvm-profgen's and AutoFDO's tools write them.

#include "base/cursor.h"
#include "pipeline/read_input.h"
#include "samples/autofdo_text.h"
#include "samples/raw_profile.h"
#include "unwind/contexts/raw_contexts.h"

namespace pgokit::pipeline {
namespace {

Status check_options(const ReadOptions& options) {
  if (options.event && !options.event->empty())
    return usage_error(
        "--event {}: the events of a raw profile are not told apart; give the recording itself",
        *options.event);
  return {};
}

Status read_autofdo(const Source& source, ReadInput& into) {
  const auto& [path, bytes, program, options] = source;
  TRY(check_options(options));
  auto all = TRY(samples::read_autofdo_text(as_text(bytes)));
  auto offsets = TRY(samples::autofdo_counts_of(std::move(all), program.name(),
                                                object::hex(program.file().build_id()),
                                                options.ignore_build_id));
  ReadInput input;
  input.counts = samples::placed_autofdo_counts(offsets, program);
  return add(std::move(input), into);
}

Status read_raw(const Source& source, ReadInput& into) {
  const auto& [path, bytes, program, options] = source;
  TRY(check_options(options));
  auto text = as_text(bytes);
  if (samples::looks_like_autofdo_text(text)) return read_autofdo(source, into);  // insisted on
  BinaryAddr base = options.raw_base(program);
  ReadInput input;
  if (unwind::looks_like_raw_contexts(text)) {
    using Kind = unwind::ContextCounts::Kind;
    Kind kind = program.has_probes() ? Kind::probes : Kind::lines;
    input.contexts = TRY(unwind::read_raw_contexts(text, kind, program.code(), base)).counts;
    if (!options.by_context && !options.llvm_profgen) forget_contexts(program, input);
  } else {
    input.counts = TRY(samples::read_raw_profile(text, base));
  }
  return add(std::move(input), into);
}

}  // namespace

const Input inputs::raw_counts{
    .name = "raw counts",
    .sniff = [](Bytes bytes) { return samples::looks_like_raw_profile(as_text(bytes)); },
    .read = read_raw,
};

const Input inputs::autofdo_text{
    .name = "AutoFDO's counts",
    .sniff = [](Bytes bytes) { return samples::looks_like_autofdo_text(as_text(bytes)); },
    .read = read_autofdo,
};

}  // namespace pgokit::pipeline
