#pragma once

// What the road ends in: the forms of files that are written, in one table.
//
//   const Output* output = TRY(output_named("extbinary"));
//   Written to;
//   to.files.push_back(std::move(file));                    // one for each ending
//   TRY(output->write({program, options, input, generated}, to));
//
// A new consumer is its writer in outputs/, an entry in the table of outputs.cc, and its tests.

#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// What a writer fills.
struct Written {
  std::vector<OutputFile> files;
  struct Figure {
    std::string_view key;  // of JSON
    u64 value = 0;
  };
  std::string summary;                // for people, a line; empty: there is nothing special
  std::vector<Figure> figures;        // the same for machines
  std::vector<std::string> warnings;  // what was left out, a sentence each
};

inline constexpr std::string_view one_file[] = {""};

struct Output {
  // Blocks: counts, of a program that has a map of its blocks.
  enum class Needs : u8 { counts, traces, blocks, profile };

  std::string_view name;  // of --format
  Needs needs{};
  Status (*write)(const Arrival& from, Written& to) = nullptr;
  std::optional<profile::Format> format = {};  // of a sample profile
  std::string_view ending = ".prof";           // of the file, where no name is given
  // What the names of its files have behind the one that -o gives.
  std::span<const std::string_view> endings = one_file;
};

namespace outputs {
extern const Output extbinary, binary, text, gcov;
extern const Output raw_counts;
extern const Output fdata, yaml, preaggregated;  // for BOLT
extern const Output clusters;
}  // namespace outputs

std::span<const Output* const> all_outputs();
// Null: there is none of that name.
const Output* find_output(std::string_view name);
// An error that lists those there are.
Result<const Output*> output_named(std::string_view name);
// The same of the forms of sample profiles alone.
Result<profile::Format> profile_format_named(std::string_view name);

}  // namespace pgokit::pipeline
