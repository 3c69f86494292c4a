#include "cli/views/next_steps.h"

#include <filesystem>

#include "base/file.h"
#include "base/shell_word.h"
#include "block_map/block_map.h"
#include "cli/compilers.h"
#include "pipeline/find_program.h"
#include "program/producer.h"
#include "report/numbers.h"
#include "report/print.h"
#include "samples/program_match.h"

namespace pgokit::cli {
namespace {

namespace fs = std::filesystem;

bool counts_branches(Recorded what) {
  return what == Recorded::whole_run || what == Recorded::contexts;
}

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

// A layout of its blocks names functions by symbols, and needs neither lines nor probes.
bool can_be_laid_out(const std::string& file) {
  auto image = MappedFile::open(file);
  if (!image) return false;
  auto elf = object::File::parse(image->bytes());
  return elf && elf->has_symbols() && block_map::has_block_map(*elf);
}

// How a profile of it can be had after all; empty: there is none.
std::string way_out(const pipeline::RecordedProgram& program, const std::string& recording,
                    Recorded what) {
  std::error_code error;
  if (program.is_generated()) return "";
  // The dynamic loader is nobody's program: it has most of the time of processes that end at once.
  if (fs::path(program.program.path).filename().string().starts_with("ld-"))
    return counts_branches(what) ? "" : "of short processes record --exact counts the rest too";
  if (!program.file.empty()) {
    bool stripped = program.obstacle.ends_with("stripped");
    auto original =
        fmt::format("the file that it was stripped from, pgokit generate {} -b FILE, or ",
                    shell_word(recording));
    return fmt::format("a profile wants {}a build with {}", stripped ? original : "",
                       options_for(program.file));
  }
  if (fs::exists(program.program.path, error)) return "record it again";
  return fmt::format("give a file of that build, pgokit generate {} -b FILE",
                     shell_word(recording));
}

void print_obstacle(const pipeline::RecordedProgram& program, const pipeline::RecordedPrograms& all,
                    const std::string& recording, Recorded what) {
  auto way = way_out(program, recording, what);
  report::print(stderr, "pgokit record: {} of the {} are in {}, {}{}{}\n",
                report::as_percent(all.all.share(program.program)),
                all.all.by_branches() ? "branches" : "samples", program.program.path,
                program.obstacle, way.empty() ? "" : ": ", way);
}

// Less of it is told than would be if it were recorded alone. Its libraries would be recorded with it.
bool is_thin_alone(const pipeline::RecordedProgram& program, const pipeline::RecordedPrograms& all,
                   const perf::Windows& windows) {
  constexpr double worth_it = 0.2;
  if (windows.number == 0 || windows.is_thin() || all.all.samples == 0) return false;
  if (samples::is_library(program.program.path)) return false;
  double others = 0;
  for (const auto& other : all.list)
    if (&other != &program && !samples::is_library(other.program.path))
      others += all.all.share(other.program);
  return others >= worth_it && windows.of_program(all.all.share(program.program)).is_thin();
}

}  // namespace

void print_next(const std::string& recording, const std::vector<std::string>& command,
                Recorded what, const perf::Windows& windows) {
  constexpr size_t most = 3;
  auto programs = pipeline::recorded_programs({recording}, 0);
  if (!programs || programs->list.empty()) return;
  const auto& list = programs->list;
  size_t told = 0;
  if (const auto* missed = programs->missed()) {
    print_obstacle(*missed, *programs, recording, what);
    if (!missed->file.empty() && can_be_laid_out(missed->file)) {
      report::print(stderr, "next: pgokit generate {} -b {} --for propeller -o {}   # a layout\n",
                    shell_word(recording), shell_word(short_path(missed->file, command)),
                    shell_word(fs::path(missed->program.path).filename().string()));
      ++told;
    }
  }
  for (const auto& program : list) {
    // One is told in any case.
    if (!program.usable() || (told > 0 && !programs->is_hot(program))) continue;
    if (told == most) {
      report::print(stderr, "{:5} pgokit generate {} --all-programs -o profiles/   # and others\n",
                    "", shell_word(recording));
      break;
    }
    std::string name = fs::path(program.program.path).filename();
    report::print(
        stderr, "{} pgokit generate {} -b {}{} -o {}{}{}\n",
        told ? "     " : "next:", shell_word(recording),
        shell_word(short_path(program.file, command)),
        what == Recorded::addresses  ? " --allow-ip"
        : what == Recorded::contexts ? " --cs"
                                     : "",
        shell_word(name + ".prof"),
        list.size() > 1
            ? fmt::format("   # {} of the {} in it",
                          report::as_percent(programs->all.share(program.program)),
                          programs->all.by_branches() ? "branches are" : "samples were taken")
            : "",
        is_thin_alone(program, *programs, windows)
            ? fmt::format(", few: pgokit record --only {} spends no time on others",
                          shell_word(name))
            : "");
    ++told;
  }
}

}  // namespace pgokit::cli
