#include "optimize/builder.h"

#include <algorithm>
#include <filesystem>

#include "base/blake3.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/shell_word.h"
#include "object/file.h"
#include "optimize/built_program.h"
#include "optimize/clean_command.h"
#include "optimize/cmake_cache.h"

namespace pgokit::optimize {
namespace {

namespace fs = std::filesystem;

std::string way_to_reach(FlagsBy flags_by, bool can_choose) {
  if (flags_by == FlagsBy::wrapper)
    return std::string(
               "if it calls a compiler by its path, let it be $CC and $CXX (--build 'make "
               "CC=\"$CC\"')") +
           (can_choose ? ", or give --flags-by variables or cmake" : "");
  if (flags_by == FlagsBy::cargo)
    return "the profile has none of its functions, or rustc optimizes nothing (opt-level)";
  if (flags_by == FlagsBy::variables) return "--flags-by wrapper reaches builds that ignore CFLAGS";
  return "configure with -DCMAKE_PROJECT_INCLUDE=\"$PGOKIT_CMAKE\"";
}

}  // namespace

Builder::Builder(const Settings& settings, const WorkFolder& work, const Toolchain& toolchain,
                 std::string first)
    : program(settings.program),
      settings_(settings),
      work_(work),
      toolchain_(toolchain),
      first_(std::move(first)),
      build_(settings.cargo ? settings.cargo->build_command() : settings.build),
      clean_(settings.clean.value_or(clean_command_of(build_))),
      guessed_(!settings.clean) {}

std::string Builder::words(const Build& build) const {
  auto options = build.all_options();
  return fmt::format("{}\n{}\n{}\n{}\n{}", build_, clean_, program, shell_line(options.compile),
                     shell_line(options.link));
}

// Cargo knows nothing of the options: what it built with others, or by other files that they name,
// is removed.
Status Builder::forget_other_options(const Build& build) const {
  std::string made_of;
  for (const auto* words : {&build.options.compile, &build.options.link})
    for (const auto& word : *words) {
      made_of += word + "\n";
      auto path = word.substr(word.rfind('=') + 1);
      std::error_code error;
      if (path.size() == word.size() || !fs::is_regular_file(path, error)) continue;
      auto file = TRY(MappedFile::open_regular(path));
      made_of += fmt::format("{:016x}\n", blake3_u64(file.bytes()));
    }
  auto folder = target_folder(build.name), stamp = folder + ".options";
  if (auto before = MappedFile::open_regular(work_.file(stamp)))
    if (std::ranges::equal(before->bytes(), as_bytes(made_of))) return {};
  std::error_code error;
  fs::remove_all(work_.file(folder), error);
  if (error) return fail("{}: {}", work_.file(folder), error.message());
  TRY(work_.make_folder(folder));
  return work_.write(stamp, made_of);
}

// Of all builds the program lies at one place, where it is run.
Status Builder::place_program(const Build& build) {
  auto made = TRY(settings_.cargo->built(work_.file(target_folder(build.name))));
  TRY(work_.make_folder("release"));
  auto name = "release/" + fs::path(made).filename().string();
  program = work_.file(name);
  return work_.keep(made, name);
}

Status Builder::clean(const Build& build) {
  if (settings_.cargo) return forget_other_options(build);
  if (clean_.empty()) {
    if (guessed_ && !built_) work_.say("# clean: not known for this build; --clean CMD names it");
    return {};
  }
  ShellCommand command{.text = clean_, .log = "clean.log"};
  auto run = TRY(work_.try_to_run(command));
  // There may be nothing to clean before the first build.
  if (run.failed() && (!guessed_ || built_)) {
    auto error = work_.failure(command, run);
    if (guessed_) error.message += "; give --clean CMD, which removes what the build has made";
    return std::unexpected(std::move(error));
  }
  return {};
}

Status Builder::make(const Build& build) {
  TRY(clean(build));
  auto options = build.all_options();
  TRY(toolchain_.write_options(work_, build.name, options));
  auto shown = toolchain_.shown(work_, build.name, build_, options);
  auto environment = toolchain_.environment(work_, build.name, options);
  environment.insert(environment.end(), settings_.environment.begin(), settings_.environment.end());
  TRY(work_.run({.text = build_,
                 .log = build.name + "/log",
                 .shown = shown,
                 .environment = std::move(environment)}));
  built_ = true;
  if (settings_.cargo) return place_program(build);
  return check_compiled(build.name);
}

Status Builder::check_compiled(const std::string& build) const {
  if (toolchain_.flags_by() != FlagsBy::wrapper) return {};
  auto compiled = sources_compiled(work_, build);
  auto configured = compiled.empty() ? configured_compiler(settings_.build) : std::nullopt;
  bool by_other = configured && !configured->compiler.starts_with(work_.absolute("bin"));
  if (build == first_ && by_other)
    return fail(
        "{}: it compiled nothing by {}: {} has the compiler {}, which it was configured with: let "
        "--build configure another folder (cmake -B FOLDER && cmake --build FOLDER)",
        settings_.build, toolchain_.c(), configured->cache, configured->compiler);
  if (build == first_ && compiled.empty())
    return fail(
        "{}: it compiled nothing by {} or another compiler in PATH: if everything was up to date, "
        "give --clean CMD, which removes what the build has made; {}",
        settings_.build, toolchain_.c(),
        way_to_reach(FlagsBy::wrapper, settings_.can_choose_flags));
  if (build == first_ && sources_compiled(work_, build, true) == compiled)
    return fail(
        "{}: everything is compiled without optimization, where a profile does nothing: give the "
        "build -O2 (CMake: -DCMAKE_BUILD_TYPE=Release; Meson: --buildtype=release; others: "
        "CFLAGS and CXXFLAGS)",
        settings_.build);
  if (build == first_) return {};
  auto before = sources_compiled(work_, first_);
  // Programs that test the compiler are gone.
  std::erase_if(before, [](const std::string& source) {
    std::error_code error;
    return !fs::exists(source, error);
  });
  std::vector<std::string> missed;
  std::ranges::set_difference(before, compiled, std::back_inserter(missed));
  // A generator of sources is not built again where these are there; nothing of it is in the program.
  if (auto parts = sources_of(program); parts && !missed.empty())
    std::erase_if(missed, [&](const std::string& source) {
      return !std::ranges::binary_search(*parts, fs::path(source).filename().string());
    });
  if (missed.empty()) return {};
  return fail(
      "{}: {} of {} sources {} not compiled again, such as {}: give --clean CMD, "
      "which removes what the build has made",
      settings_.build, missed.size(), before.size(), missed.size() == 1 ? "was" : "were",
      missed[0]);
}

Status Builder::keep(Build& build) {
  std::error_code error;
  if (!fs::is_regular_file(program, error))
    return fail("{}: it is not there after the build ({})", program, build_);
  auto name = fmt::format("{}/{}", build.name, fs::path(program).filename().string());
  TRY(work_.keep(program, name));
  build.file = work_.file(name);
  return {};
}

Error Builder::same_program() const {
  return {fmt::format("{}: the options for it changed nothing in {}: {}", build_, program,
                      way_to_reach(toolchain_.flags_by(), settings_.can_choose_flags))};
}

Result<bool> are_same(const Build& a, const Build& b) {
  auto first = TRY(MappedFile::open_regular(a.file));
  auto second = TRY(MappedFile::open_regular(b.file));
  return std::ranges::equal(first.bytes(), second.bytes());
}

Result<bool> have_same_code(const Build& a, const Build& b) {
  auto first = TRY(MappedFile::open_regular(a.file));
  auto second = TRY(MappedFile::open_regular(b.file));
  auto one = TRY_IN(a.file, object::File::parse(first.bytes()));
  auto other = TRY_IN(b.file, object::File::parse(second.bytes()));
  auto loaded = [](const object::File& file) {
    std::vector<object::Section> list;
    for (const auto& section : file.sections())
      if (section.loaded && !section.name.starts_with(".note")) list.push_back(section);
    return list;
  };
  return std::ranges::equal(loaded(one), loaded(other),
                            [](const object::Section& x, const object::Section& y) {
                              return x.name == y.name && x.address == y.address &&
                                     x.size == y.size && std::ranges::equal(x.contents, y.contents);
                            });
}

measure::Plan plan_of(const std::vector<Build>& builds, const std::string& program,
                      const std::string& command) {
  measure::Plan plan;
  for (const auto& build : builds) {
    plan.commands.push_back(command);
    plan.names.push_back(build.name);
    plan.prepare.push_back(fmt::format("cp -f {} {}", shell_word(build.file), shell_word(program)));
  }
  return plan;
}

std::string command_of(const measure::Plan& plan, const std::string& options) {
  auto text = "pgokit measure " + options;
  for (size_t i = 0; i < plan.commands.size(); ++i)
    text += fmt::format(" --name {} --prepare {}", shell_word(plan.names[i]),
                        shell_word(plan.prepare[i]));
  return text + " -- " + shell_line(plan.commands);
}

}  // namespace pgokit::optimize
