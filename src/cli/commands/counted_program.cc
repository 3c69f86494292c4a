#include "cli/commands/counted_program.h"

#include "cli/views/generation.h"
#include "perf/recording.h"
#include "pipeline/inputs.h"

namespace pgokit::cli {
namespace {

pipeline::RoadOptions road_options(const CountOptions& options) {
  pipeline::RoadOptions chosen;
  chosen.read.inputs = options.inputs;
  chosen.read.ignore_build_id = options.ignore_build_id;
  chosen.read.allow_ip = true;
  chosen.read.run_to_next_branch = true;
  chosen.read.threads = options.threads;
  chosen.binary = options.binary;
  chosen.output = &pipeline::outputs::extbinary;
  return chosen;
}

}  // namespace

// Takes what the road uses up.
class CountedProgram::Keeper : public pipeline::Traveller {
 public:
  explicit Keeper(CountedProgram& counted) : counted_(counted) {}
  Status read(pipeline::Road& road) override {
    TRY(check_input(road));
    counted_.counts_.emplace(*road.program, road.input.counts);
    return {};
  }
  Status made(pipeline::Road& road) override { return check_generated(road); }

 private:
  CountedProgram& counted_;
};

CountedProgram::CountedProgram(const CountOptions& options)
    : options_(options), road_(road_options(options)) {}

Status CountedProgram::read() {
  Keeper keeper(*this);
  TRY(road_.make(keeper));
  TRY(read_samples());
  return options_.contexts ? read_contexts() : Status{};
}

// Counts of windows or of a whole run tell no contexts, so that these are read on their own.
Status CountedProgram::read_contexts() {
  auto options = road_.options;
  options.read.by_context = true;
  options.read.progress = false;
  auto input = pipeline::read_input(program(), options.read);
  if (!input || !input->contexts) return {};
  auto made = TRY(pipeline::generate_profile(program(), *input, options));
  contexts_ = std::move(made.profile);
  return {};
}

// What was counted whole has samples for another purpose. Without branch stacks counts come of where
// samples were taken, so that this is known; of several recordings, some may have stacks.
Status CountedProgram::read_samples() {
  const auto& input = road_.input;
  if (input.windows.number > 0 || input.all_counted) return {};
  if (input.ip_only && input.kind == &pipeline::inputs::recording && options_.inputs.size() == 1) {
    samples_ = annotate::function_samples(input.ips, program());
    return {};
  }
  for (const auto& path : options_.inputs) {
    auto file = TRY(MappedFile::open(path));
    if (pipeline::identify(file.bytes()) != &pipeline::inputs::recording) return {};
    auto recording = TRY_IN(path, perf::Recording::open(file.bytes(), options_.threads));
    auto more = TRY_IN(
        path, annotate::function_samples(
                  recording, *road_.program,
                  {.ignore_build_id = options_.ignore_build_id, .threads = options_.threads}));
    if (!more) continue;
    if (!samples_) {
      samples_ = std::move(more);
      continue;
    }
    samples_->total += more->total;
    for (size_t i = 0; i < more->by_function.size(); ++i)
      samples_->by_function[i] += more->by_function[i];
  }
  return {};
}

}  // namespace pgokit::cli
