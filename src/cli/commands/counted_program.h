#pragma once

// A program with everything that a recording, or counters, tell of it: what `pgokit report` is
// about.
//
//   CountedProgram counted({.inputs = {"app.perf"}, .binary = "app"});
//   TRY(counted.read());
//   use(counted.counts(), counted.road().generated.profile);

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "annotate/code_counts.h"
#include "annotate/sample_counts.h"
#include "pipeline/road.h"

namespace pgokit::cli {

struct CountOptions {
  std::vector<std::string> inputs;
  std::string binary;     // empty: the program with most samples
  bool contexts = false;  // also the profile by calling context, where call chains tell it
  bool ignore_build_id = false;
  unsigned threads = 0;
};

class CountedProgram {
 public:
  explicit CountedProgram(const CountOptions& options);

  // An error where `pgokit generate` has one.
  Status read();

  // With its input; the profile is flat.
  const pipeline::Road& road() const { return road_; }
  const program::Program& program() const { return *road_.program; }
  const annotate::CodeCounts& counts() const { return *counts_; }
  // Null: samples do not tell where time was spent.
  const annotate::FunctionSamples* samples() const { return samples_ ? &*samples_ : nullptr; }
  // Null: calling contexts are not known.
  const profile::Profile* contexts() const { return contexts_ ? &*contexts_ : nullptr; }

 private:
  class Keeper;
  Status read_contexts();
  Status read_samples();

  CountOptions options_;
  pipeline::Road road_;
  std::optional<annotate::CodeCounts> counts_;
  std::optional<annotate::FunctionSamples> samples_;
  std::optional<profile::Profile> contexts_;
};

}  // namespace pgokit::cli
