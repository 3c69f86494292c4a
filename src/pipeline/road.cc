#include "pipeline/road.h"

#include "pipeline/find_program.h"
#include "pipeline/input_checks.h"

namespace pgokit::pipeline {

Status Road::run(Traveller& traveller) {
  TRY(choose_program());
  TRY(open_program());
  auto output = TRY(open_output());
  TRY(go(traveller));
  return write(output);
}

Status Road::make(Traveller& traveller) {
  TRY(choose_program());
  TRY(open_program());
  TRY(check_files(options.read.inputs, program->path(), {}));
  return go(traveller);
}

Status Road::go(Traveller& traveller) {
  // The program's file is mapped. Nothing of it is decoded before it is hit.
  options.read.stage("finding its functions");
  TRY(program->load_functions(options.read.threads));
  // Functions and symbols are known.
  TRY(traveller.opened(*this));
  input = TRY(read_input(*program, options.read));
  // Samples in = samples used + samples dropped, each with its cause.
  TRY(traveller.read(*this));
  if (options.output->needs != Output::Needs::profile) return {};
  generated = TRY(generate_profile(*program, input, options));
  // Sorted; what is cold, ambiguous or nested is so; summary and density are those of the file.
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
Result<OutputFile> Road::open_output() {
  if (options.output_path.empty()) options.output_path = std::string(program->name()) + std::string(options.output->ending);
  TRY(check_files(options.read.inputs, program->path(), options.output_path));
  return OutputFile::create(options.output_path);
}

Status Road::write(OutputFile& output) {
  bool counts = options.output->needs == Output::Needs::counts;
  options.read.stage(counts ? "writing raw counts" : "writing the profile");
  TRY(options.output->write({*program, options, input, generated}, output));
  written = output.size();
  return output.commit();
}

}  // namespace pgokit::pipeline
