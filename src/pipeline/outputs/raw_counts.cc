// Counts without the program's names, which add up over machines and days.

#include "pipeline/outputs.h"
#include "samples/raw_profile.h"
#include "unwind/contexts/raw_contexts.h"

namespace pgokit::pipeline {
namespace {

Status write(const Arrival& from, Written& to) {
  BinaryAddr base = from.options.read.raw_base(from.program);
  const auto& input = from.input;
  if (input.contexts)
    unwind::write_raw_contexts(*input.contexts, from.program.code(), base,
                               [&](std::string_view part) { to.files[0].write(part); });
  else
    to.files[0].write(samples::write_raw_profile(input.counts, base));
  return {};
}

}  // namespace

constexpr Output outputs::raw_counts{.name = "raw", .needs = Output::Needs::counts, .write = write};

}  // namespace pgokit::pipeline
