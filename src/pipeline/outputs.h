#pragma once

// What the road ends in: the forms of files that are written, in one table.
//
//   const Output* output = TRY(output_named("extbinary"));
//   TRY(output->write({program, options, input, generated}, file));
//
// A new consumer is its writer in outputs/, an entry in the table of outputs.cc, and its tests.

#include <span>
#include <string_view>

#include "base/file.h"
#include "pipeline/passes.h"

namespace pgokit::pipeline {

// All that a writer may take from; `generated` is empty for those that need counts.
struct Arrival {
  const program::Program& program;
  const RoadOptions& options;
  const ReadInput& input;
  const Generated& generated;
};

struct Output {
  enum class Needs : u8 { counts, traces, profile };

  std::string_view name;  // of --format
  Needs needs{};
  Status (*write)(const Arrival& from, OutputFile& to) = nullptr;
  std::optional<profile::Format> format = {};  // of a sample profile
  std::string_view ending = ".prof";           // of the file, where no name is given
};

namespace outputs {
extern const Output extbinary, binary, text, gcov;
extern const Output raw_counts;
extern const Output fdata, preaggregated;  // for BOLT
}  // namespace outputs

std::span<const Output* const> all_outputs();
// Null: there is none of that name.
const Output* find_output(std::string_view name);
// An error that lists those there are.
Result<const Output*> output_named(std::string_view name);
// The same of the forms of sample profiles alone.
Result<profile::Format> profile_format_named(std::string_view name);

}  // namespace pgokit::pipeline
