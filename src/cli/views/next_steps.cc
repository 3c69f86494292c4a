#include "cli/views/next_steps.h"

#include <filesystem>

#include "base/file.h"
#include "cli/compilers.h"
#include "pipeline/find_program.h"
#include "program/producer.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

namespace fs = std::filesystem;

// As the user called it, where that is the file.
std::string short_path(const std::string& file, const std::vector<std::string>& command) {
  std::error_code error;
  if (command.empty() || !fs::equivalent(command.front(), file, error) || error) return file;
  return command.front();
}

std::string options_for(const std::string& file) {
  Compiler compiler;
  if (auto image = MappedFile::open(file))
    if (auto elf = object::File::parse(image->bytes()))
      compiler = compiler_of(program::producer_of(*elf, nullptr));
  return profiling_options(compiler);
}

void print_obstacle(const pipeline::RecordedProgram& program,
                    const pipeline::RecordedPrograms& all) {
  report::print(stderr, "pgokit record: {} of the samples are in {}, {}",
                report::percent(program.program.samples, all.samples), program.program.path,
                program.obstacle);
  if (!program.file.empty())
    report::print(stderr, ": a profile wants a build with {}, not stripped",
                  options_for(program.file));
  report::print(stderr, "\n");
}

}  // namespace

void print_next(const std::string& recording, const std::vector<std::string>& command) {
  constexpr size_t most = 3;
  constexpr u64 least_percent = 5;  // of the samples; one is told in any case
  auto programs = pipeline::recorded_programs({recording}, 0);
  if (!programs || programs->list.empty()) return;
  const auto& list = programs->list;
  if (!list.front().usable()) print_obstacle(list.front(), *programs);
  size_t told = 0;
  for (const auto& program : list) {
    bool hot = program.program.samples * 100 >= programs->samples * least_percent;
    if (!program.usable() || (told > 0 && !hot) || told == most) continue;
    std::string name = fs::path(program.program.path).filename();
    report::print(stderr, "{} pgokit generate {} -b {} -o {}{}\n",
                  told ? "     " : "next:", shell_word(recording),
                  shell_word(short_path(program.file, command)), shell_word(name + ".prof"),
                  list.size() > 1
                      ? fmt::format("   # {} of the samples",
                                    report::percent(program.program.samples, programs->samples))
                      : "");
    ++told;
  }
}

}  // namespace pgokit::cli
