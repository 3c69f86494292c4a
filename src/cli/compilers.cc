#include "cli/compilers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/command_path.h"
#include "base/parse_number.h"
#include "base/shell_word.h"
#include "program/producer.h"

namespace pgokit::cli {
namespace {

// What each family calls its options; empty: it has none.
struct Options {
  CompilerFamily family;
  std::string_view debug, discriminators, probes, unique_names, relative_paths;
};

constexpr Options known_options[] = {
    {CompilerFamily::clang, "-g", "-fdebug-info-for-profiling", "-fpseudo-probe-for-profiling",
     "-funique-internal-linkage-names", "-fmacro-prefix-map=\"$PWD\"/="},
    {CompilerFamily::gcc, "-g", "", "", "", ""},  // discriminators come with -g
    {CompilerFamily::rustc, "-g -Cstrip=none", "-Zdebug-info-for-profiling", "", "",
     ""},  // cargo strips
};

// Clang stands for the unknown ones: the profile is in its format.
const Options& options_of(const Compiler& compiler) {
  for (const auto& options : known_options)
    if (options.family == compiler.family) return options;
  return known_options[0];
}

// The number behind `mark`; 0 where there is none.
unsigned number_after(std::string_view text, std::string_view mark) {
  size_t at = text.find(mark);
  if (at == text.npos) return 0;
  text.remove_prefix(at + mark.size());
  unsigned number = 0;
  take_number(text, number);
  return number;
}

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

// Build systems call compilers in other folders: the path is one from everywhere.
std::string option_with_file(std::string_view option, const std::string& path) {
  if (path.starts_with('/')) return shell_word(fmt::format("{}{}", option, path));
  return fmt::format("{}\"$PWD\"/{}", option, shell_word(path));
}

// Names hold a hash of the toolchain, so that it has to be the same one; and which way they are
// made depends on whether it is a nightly one.
std::string command_of_cargo(const Compiler& compiler, const std::string& profile,
                             ProfileKind kind) {
  auto options = fmt::format(
      "{} -Zunstable-options -Csymbol-mangling-version={} -Zprofile-sample-use={}",
      profiling_options(compiler, kind), kind.rust_v0 ? "v0" : "legacy", absolute(profile));
  return fmt::format("{}RUSTFLAGS={} cargo {}build --release",
                     compiler.nightly ? "" : "RUSTC_BOOTSTRAP=1 ", shell_word(options),
                     compiler.nightly ? "+nightly " : "");
}

std::vector<std::string> commands_of_gcc(const Compiler& compiler, const std::string& profile) {
  std::string converted = profile + ".afdo";
  return {fmt::format("pgokit merge {} --for {} -o {}", shell_word(profile),
                      target_of_gcc(compiler).name(), shell_word(converted)),
          use_command_of_gcc(compiler, converted)};
}

}  // namespace

Compiler compiler_of(std::string_view producer) {
  Compiler compiler;
  using enum CompilerFamily;
  // "clang LLVM (rustc version 1.95.0 (...))"
  if (producer.contains("rustc version ")) {
    compiler.family = rustc;
    compiler.nightly = producer.contains("-nightly");
  } else if (producer.contains("clang")) {
    compiler.family = clang;
    compiler.version = number_after(producer, "clang version ");
  } else if (auto version = program::gcc_version(producer)) {
    compiler.family = gcc;
    compiler.version = *version;
    compiler.cplusplus = producer.starts_with("GNU C++");
  } else if (!producer.empty()) {
    compiler.family = other;
    compiler.name = short_producer(producer);
  }
  return compiler;
}

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

std::string short_producer(std::string_view producer) {
  constexpr size_t most = 100;
  // "GNU C17 12.2.0 -mtune=generic -O2", "clang version 22.1.8 /usr/bin/clang -O2"
  size_t end = producer.find(" -");
  if (end != producer.npos)
    if (size_t command = producer.find(" /"); command < end) end = command;
  std::string text(producer.substr(0, end));
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

std::string profiling_options(const Compiler& compiler, ProfileKind kind) {
  const auto& options = options_of(compiler);
  std::string text(options.debug);
  auto add = [&](std::string_view option) {
    if (!option.empty()) text += fmt::format(" {}", option);
  };
  add(options.discriminators);
  if (kind.probes) add(options.probes);
  if (kind.unique_names) add(options.unique_names);
  if (kind.unique_names && !kind.absolute_paths) add(options.relative_paths);
  return text;
}

std::vector<std::string> profiling_words(const Compiler& compiler, ProfileKind kind,
                                         const std::string& folder) {
  constexpr std::string_view folder_in_shell = "\"$PWD\"";
  std::vector<std::string> words;
  const std::string text = profiling_options(compiler, kind);
  for (std::string_view rest = text; !rest.empty();) {
    std::string word(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (auto at = word.find(folder_in_shell); at != word.npos)
      word.replace(at, folder_in_shell.size(), folder);
    words.push_back(std::move(word));
  }
  return words;
}

std::string_view discriminator_option(const Compiler& compiler) {
  return options_of(compiler).discriminators;
}

std::string_view probe_option(const Compiler& compiler) { return options_of(compiler).probes; }

std::string use_command_of_gcc(const Compiler& compiler, const std::string& profile) {
  auto gcc = compiler_for({&pipeline::consumers::gcc}, compiler);
  return fmt::format("{} -O2 {} {} ...", command_of(gcc), profiling_options(gcc),
                     option_with_file("-fauto-profile=", profile));
}

// The blocks are numbered as in the build that was recorded: its other options have to stay.
std::vector<std::string> layout_commands(const Compiler& compiler, const std::string& clusters,
                                         const std::string& symbol_order) {
  auto command = command_of(compiler);
  return {fmt::format("{} ... -ffunction-sections {} -c ...", command,
                      option_with_file("-fbasic-block-sections=list=", clusters)),
          fmt::format("{} ... -fuse-ld=lld {} -Wl,--no-warn-symbol-ordering", command,
                      option_with_file("-Wl,--symbol-ordering-file=", symbol_order))};
}

std::vector<std::string> use_commands(const Compiler& compiler, const std::string& profile,
                                      ProfileKind kind) {
  switch (compiler.family) {
    case CompilerFamily::gcc:
      return commands_of_gcc(compiler, profile);
    case CompilerFamily::rustc:
      return {command_of_cargo(compiler, profile, kind)};
    case CompilerFamily::other:
      return {
          fmt::format("{} built the program: if it is of LLVM, it has an option like clang's "
                      "-fprofile-sample-use={}",
                      compiler.name, profile)};
    default:
      return {fmt::format("{} -O2 {} {} ...", command_of(compiler),
                          profiling_options(compiler, kind),
                          option_with_file("-fprofile-sample-use=", profile))};
  }
}

}  // namespace pgokit::cli
