#include "cli/compilers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/command_path.h"
#include "base/shell_word.h"
#include "program/producer.h"

namespace pgokit::cli {
namespace {

// With its version, if it is installed under such a name.
std::string command_of(const Compiler& compiler) {
  bool gcc = compiler.family == CompilerFamily::gcc;
  std::string name =
      gcc ? (compiler.cplusplus ? "g++" : "gcc") : (compiler.cplusplus ? "clang++" : "clang");
  auto versioned = fmt::format("{}-{}", name, compiler.version);
  return compiler.version && !path_of_command(versioned).empty() ? versioned : name;
}

std::string absolute(const std::string& path) {
  std::error_code error;
  auto whole = std::filesystem::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

std::string this_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string() + "/";
}

// Words for a shell, which may end in `file`. Build systems call compilers in other folders: the
// path is one from everywhere.
std::string shell_line(const std::vector<std::string>& words, const std::string& file = "") {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    bool relative = !file.empty() && !file.starts_with('/') && word.ends_with("=" + file);
    line += relative ? fmt::format("{}\"$PWD\"/{}", word.substr(0, word.size() - file.size()),
                                   shell_word(file))
                     : shell_word(word);
  }
  return line;
}

// Names hold a hash of the toolchain, so that it has to be the same one; and which way they are
// made depends on whether it is a nightly one.
std::string command_of_cargo(const Compiler& compiler, const std::string& profile,
                             const ProfileKind& kind) {
  auto flags = compilers::profiling_flags(compiler, kind, "");
  flags.add(compilers::sample_profile_flags(compiler, kind, absolute(profile)));
  return fmt::format("{}RUSTFLAGS={} cargo {}build --release",
                     compiler.nightly ? "" : "RUSTC_BOOTSTRAP=1 ",
                     shell_word(fmt::format("{}", fmt::join(flags.compile, " "))),
                     compiler.nightly ? "+nightly " : "");
}

std::vector<std::string> commands_of_gcc(const Compiler& compiler, const std::string& profile) {
  std::string converted = profile + ".afdo";
  return {fmt::format("pgokit merge {} --for {} -o {}", shell_word(profile),
                      target_of_gcc(compiler).name(), shell_word(converted)),
          use_command_of_gcc(compiler, converted)};
}

// `pgokit flags` also maps the relative ways by which build systems name sources; what was built
// otherwise has other names.
std::vector<std::string> commands_of_clang(const Compiler& compiler, const std::string& profile,
                                           const ProfileKind& kind) {
  std::vector<std::string> list{fmt::format(
      "{} -O2 {} {} ...", command_of(compiler), profiling_options(compiler, kind),
      shell_line(compilers::sample_profile_flags(compiler, kind, profile).compile, profile))};
  if (kind.unique_names && !kind.absolute_paths && !kind.no_discriminators)
    list.push_back("in a build system: " + build_system_command(profile));
  return list;
}

}  // namespace

Compiler compiler_of(const program::Program& program) {
  auto compiler = compiler_of(program::producer_of(program.file(), program.debug()));
  compiler.cplusplus |= program::has_cplusplus(program.file(), program.debug());
  return compiler;
}

Compiler compiler_for(const pipeline::Target& target, const Compiler& built_by) {
  Compiler compiler = built_by;
  if (target.consumer == &pipeline::consumers::gcc && built_by.family != CompilerFamily::gcc)
    compiler.family = CompilerFamily::gcc, compiler.version = 0;
  if (target.version) {
    if (target.consumer == &pipeline::consumers::clang) compiler.family = CompilerFamily::clang;
    compiler.version = target.version;
  }
  return compiler;
}

pipeline::Target target_of_gcc(const Compiler& gcc) {
  const auto& known = pipeline::consumers::gcc;
  return {&known, gcc.version ? std::clamp(gcc.version, known.oldest, known.newest) : 0};
}

Status fit_target(pipeline::Target& target, const program::Program& program,
                  profile::WriteOptions& options) {
  if (target.consumer == &pipeline::consumers::gcc) {
    if (program.has_probes())
      return fail(
          "{} has probes, which GCC does not know: give --use-dwarf, or record a program that GCC "
          "built",
          program.path());
    if (!target.version) target = target_of_gcc(compiler_for(target, compiler_of(program)));
  }
  target.fit(options);
  return {};
}

// What was taken off the paths of the recorded build is taken off again, and else this folder.
std::string profiling_options(const Compiler& compiler, const ProfileKind& kind) {
  constexpr const char* here = "\"$PWD\"";
  std::string root;
  std::vector<std::string> ways;
  for (const auto& prefix : kind.taken_off) {
    if (root.empty() && prefix.starts_with('/'))
      root = prefix == this_folder() ? here : shell_word(prefix.substr(0, prefix.size() - 1));
    else
      ways.push_back(shell_word(prefix));
  }
  if (root.empty()) root = here;
  auto words = compilers::profiling_flags(compiler, kind, root, ways).compile;
  return fmt::format("{}", fmt::join(words, " "));
}

// The longest way that fits counts.
std::vector<std::string> relative_ways_to(const std::string& root) {
  constexpr int most_levels = 3;
  auto relative = std::filesystem::path(root).lexically_relative(this_folder());
  if (relative.empty()) return {};
  std::vector<std::string> ways;
  auto way = relative == "." ? std::string() : relative.string() + "/";
  for (int level = 0; level <= most_levels; ++level, way.insert(0, "../"))
    if (!way.empty()) ways.push_back(way);
  return ways;
}

std::vector<std::string> profiling_words_here() {
  Compiler clang;
  clang.family = CompilerFamily::clang;
  auto root = this_folder();
  root.pop_back();
  return compilers::profiling_flags(clang, {.unique_names = true}, root, relative_ways_to(root))
      .compile;
}

std::string option_to_map(const std::string& source) {
  if (source.starts_with(this_folder())) return "-fmacro-prefix-map=$PWD/=";
  auto folder = std::filesystem::path(source).parent_path().string();
  return shell_word("-fmacro-prefix-map=" + folder + "/=");
}

std::string use_command_of_gcc(const Compiler& compiler, const std::string& profile) {
  auto gcc = compiler_for({&pipeline::consumers::gcc}, compiler);
  return fmt::format(
      "{} -O2 {} {} ...", command_of(gcc), profiling_options(gcc),
      shell_line(compilers::sample_profile_flags(gcc, {}, profile).compile, profile));
}

// The blocks are numbered as in the build that was recorded: its other options have to stay.
std::vector<std::string> layout_commands(const Compiler& compiler, const std::string& clusters,
                                         const std::string& symbol_order) {
  auto command = command_of(compiler);
  auto flags = compilers::layout_flags(clusters, symbol_order);
  return {fmt::format("{} ... {} -c ...", command, shell_line(flags.compile, clusters)),
          fmt::format("{} ... {}", command, shell_line(flags.link, symbol_order))};
}

std::string build_system_command(std::string_view profile) {
  return fmt::format("pgokit flags use={} --style cmake   # or autotools, meson, make",
                     shell_word(profile));
}

std::vector<std::string> use_commands(const Compiler& compiler, const std::string& profile,
                                      const ProfileKind& kind) {
  switch (compiler.family) {
    case CompilerFamily::gcc:
      return commands_of_gcc(compiler, profile);
    case CompilerFamily::rustc:
      return {command_of_cargo(compiler, profile, kind)};
    case CompilerFamily::other:
      if (compiler.name.starts_with("Go cmd/compile"))
        return {
            "nothing of it is for Go's own compiler: 'pgokit report' and 'export' show what ran"};
      return {fmt::format(
          "{} built the program: if it is of LLVM, it has an option like clang's "
          "{}",
          compiler.name, compilers::sample_profile_flags(compiler, kind, profile).compile.front())};
    default:
      return commands_of_clang(compiler, profile, kind);
  }
}

}  // namespace pgokit::cli
