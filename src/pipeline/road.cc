#include "pipeline/road.h"

#include "base/free_memory.h"
#include "block_layout/block_counts.h"
#include "pipeline/find_program.h"
#include "pipeline/input_checks.h"
#include "pipeline/several_programs.h"

namespace pgokit::pipeline {

Status Road::run(Traveller& traveller) {
  TRY(open());
  TRY(travel(traveller));
  return commit_together(pending());
}

Status Road::open() {
  TRY(choose_program());
  TRY(open_program());
  return open_output();
}

Status Road::travel(Traveller& traveller) {
  TRY(go(traveller));
  return write();
}

Status Road::make(Traveller& traveller) {
  TRY(choose_program());
  TRY(open_program());
  TRY(check_files(options.read.inputs, program->path(), {}));
  return go(traveller);
}

Status Road::go(Traveller& traveller) {
  // The program's file is mapped. Nothing of it is decoded before it is hit.
  if (options.output->needs == Output::Needs::blocks) TRY(block_layout::check_block_map(*program));
  options.read.stage("finding its functions");
  TRY(program->load_functions(options.read.threads));
  // Functions and symbols are known.
  TRY(traveller.opened(*this));
  input = TRY(read_input(*program, options.read));
  return_free_memory();  // the tables of the workers
  // Samples in = samples used + samples dropped, each with its cause.
  TRY(traveller.read(*this));
  if (options.output->needs != Output::Needs::profile) return {};
  generated = TRY(generate_profile(*program, input, options));
  // Sorted; what is cold, ambiguous or nested is so; summary and density are those of the file.
  return_free_memory();
  return traveller.made(*this);
}

Status Road::choose_program() {
  if (!options.binary.empty()) return {};
  options.read.stage("looking for the program");
  auto chosen = TRY(dominant_program(options.read.inputs, options.read.threads));
  options.binary = std::move(chosen.file);
  options.passed_over = std::move(chosen.passed_over);
  return {};
}

Status Road::open_program() {
  options.read.stage("opening the program");
  program.emplace(TRY(program::Program::open(options.binary, options.program)));
  return {};
}

// Early, so that what cannot be written is known before the work is done.
Status Road::open_output() {
  auto& paths = options.output_paths;
  auto endings = options.output->endings;
  if (options.output_path.ends_with('/'))
    options.output_path = TRY(path_for(options.output_path, program->path(), *options.output));
  if (paths.empty() && endings.size() == 1) {
    if (options.output_path.empty())
      options.output_path = fmt::format("{}{}", program->name(), options.output->ending);
    paths = {options.output_path};
  } else if (paths.empty()) {
    if (options.output_path.empty()) options.output_path = program->name();
    for (auto ending : endings) paths.push_back(fmt::format("{}{}", options.output_path, ending));
  }
  TRY(check_outputs(paths));
  for (const auto& path : paths) {
    TRY(check_files(options.read.inputs, program->path(), path));
    output.files.push_back(TRY(OutputFile::create(path)));
  }
  return {};
}

Status Road::write() {
  switch (options.output->needs) {
    case Output::Needs::counts:
      options.read.stage("writing raw counts");
      break;
    case Output::Needs::traces:
      options.read.stage("writing what BOLT reads");
      break;
    case Output::Needs::blocks:
      options.read.stage("laying blocks out");
      break;
    case Output::Needs::profile:
      options.read.stage("writing the profile");
  }
  TRY(options.output->write({*program, options, input, generated}, output));
  for (const auto& file : output.files) written += file.size();
  return {};
}

std::vector<PendingOutput> Road::pending() {
  std::vector<PendingOutput> outputs;
  for (size_t i = 0; i < output.files.size(); ++i)
    outputs.push_back({options.output_paths[i], &output.files[i]});
  return outputs;
}

}  // namespace pgokit::pipeline
