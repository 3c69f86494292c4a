#include "optimize/toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/command_path.h"
#include "base/file.h"
#include "base/shell_word.h"

namespace pgokit::optimize {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Empty: there is no such file that could be run.
std::string path_of(const std::string& program) {
  auto path = path_of_command(program);
  return access(path.c_str(), X_OK) == 0 ? path : "";
}

std::string name_of(const std::string& program) { return program.substr(program.rfind('/') + 1); }

// "ccache /usr/bin/clang-22 -m32": the word that is clang; empty: none is.
std::string clang_in(std::string_view command) {
  while (!command.empty()) {
    auto word = std::string(command.substr(0, command.find(' ')));
    command.remove_prefix(std::min(command.size(), word.size() + 1));
    if (name_of(word).starts_with("clang")) return word;
  }
  return "";
}

// For the compiler's files of options, where a backslash keeps the next character as it is.
std::string in_options_file(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    for (char c : word) {
      if (std::string_view(" \t\\\"'").contains(c)) text += '\\';
      text += c;
    }
    text += '\n';
  }
  return text;
}

std::string wrapper_of(const std::string& compiler) {
  return fmt::format(R"(#!/bin/sh
# The compiler with the options of the build that pgokit has under way; otherwise the compiler.
compiler={}
[ -d "$PGOKIT_BUILD" ] || exec "$compiler" "$@"
links=yes optimizes= sources=
for word do
  shift
  case $word in
    # The symbols of the program are needed.
    -s | -Wl,-s | -Wl,-S | -Wl,--strip-all | -Wl,--strip-debug) continue ;;
    -c | -S | -E | -M | -MM | -fsyntax-only) links= ;;
    -O0) optimizes= ;;
    -O* | @* | --config*) optimizes=yes ;; # files may have options
    -*) ;;
    *.c | *.cc | *.cpp | *.cxx | *.c++ | *.C | *.cp)
      case $word in /*) source=$word ;; *) source=$PWD/$word ;; esac
      sources="$sources$source
" ;;
  esac
  set -- "$@" "$word"
done
[ "$optimizes" ] || printf %s "$sources" >> "$PGOKIT_BUILD/unoptimized"
printf %s "$sources" >> "$PGOKIT_BUILD/compiled"
exec "$compiler" "$@" @"$PGOKIT_BUILD/compile" ${{links:+@"$PGOKIT_BUILD/link"}}
)",
                     shell_word(compiler));
}

// Cargo calls it with the path of rustc in front. What runs while the program is built, build
// scripts and macros, is compiled as ever, and so is what a build script compiles to try rustc,
// which has the variables of build scripts. A file of options has one a line.
std::string wrapper_of_rustc(bool bootstraps) {
  return fmt::format(R"(#!/bin/sh
# rustc with the options of the build that pgokit has under way; otherwise rustc.
rustc=$1
shift
[ -d "$PGOKIT_BUILD" ] && [ -z "$OPT_LEVEL" ] || exec "$rustc" "$@"
crate= before=
for word do
  case $before$word in
    --crate-namebuild_script_* | --crate-name___ | --crate-typeproc-macro) exec "$rustc" "$@" ;;
    --crate-name?*) crate=$word ;;
  esac
  before=$word
done
[ "$crate" ] || exec "$rustc" "$@"
{}exec "$rustc" "$@" @"$PGOKIT_BUILD/compile"
)",
                     bootstraps ? "export RUSTC_BOOTSTRAP=1\n" : "");
}

// CMake quotes by itself where a list has one argument an element.
std::string cmake_list(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += fmt::format(" [==[{}]==]", word);
  return text;
}

constexpr char cmake_file[] = "options.cmake", rustc_wrapper[] = "bin/rustc";

}  // namespace

Result<Toolchain> Toolchain::find(FlagsBy flags_by) {
  Toolchain found;
  found.flags_by_ = flags_by;
  if (flags_by == FlagsBy::build) return found;
  auto choose = [](const char* name, const char* clang, std::string& command,
                   std::string& path) -> Status {
    auto newest = newest_command(clang);
    command = variable(name);
    if (command.empty()) command = newest;
    auto program = clang_in(command);
    if (program.empty())
      return fail("{} is {}: the profiles are for clang: {}={} builds the program with it", name,
                  command, name, newest);
    path = path_of(program);
    if (path.empty())
      return fail("{} is not installed: the program has to be built by clang (CC and CXX name it)",
                  program);
    // By its name the build finds the wrapper.
    command.replace(command.find(program), program.size(), name_of(program));
    return {};
  };
  TRY(choose("CC", "clang", found.c_, found.c_path_));
  TRY(choose("CXX", "clang++", found.cplusplus_, found.cplusplus_path_));
  auto compiler = name_of(found.c_path_);
  if (auto dash = compiler.rfind('-'); dash != compiler.npos)
    found.tool_suffix_ = compiler.substr(dash);
  return found;
}

Toolchain Toolchain::of_rustc(const Rustc& rustc) {
  Toolchain found;
  found.flags_by_ = FlagsBy::cargo;
  found.tool_suffix_ = fmt::format("-{}", rustc.llvm);
  found.bootstraps_ = rustc.unstable || !rustc.plugin.empty();
  found.sampled_ = rustc.sampled;
  return found;
}

Options Toolchain::sampled_profile(const std::string& profile, bool counted) const {
  if (flags_by_ != FlagsBy::cargo) return compilers::sample_profile_flags({}, {}, profile);
  Options options{.compile = compilers::rust_sample_words()};
  if (counted) options.compile.emplace_back("-Cllvm-args=-profile-sample-accurate");
  options.compile.push_back(sampled_ + profile);
  return options;
}

Options Toolchain::order(const std::string& file) const {
  auto options = compilers::order_flags(order::OrderFormat::lld, file);
  if (flags_by_ == FlagsBy::cargo) options.compile.clear();  // functions have sections there
  return options;
}

Options Toolchain::counting() const {
  if (flags_by_ != FlagsBy::cargo) return compilers::counting_flags();
  return {.compile = {"-Cprofile-generate"}};
}

Options Toolchain::counted(const std::string& profile) const {
  if (flags_by_ == FlagsBy::cargo) return {.compile = {"-Cprofile-use=" + profile}};
  auto flags = compilers::counted_flags(profile);
  // Of the programs of a configure script, which the profile does not know: to some of these a
  // warning means that an option does not work, and they build without it.
  flags.compile.push_back("-Wno-backend-plugin");
  return flags;
}

std::string target_folder(const std::string& build) { return "cargo/" + build; }

std::string Toolchain::tool(const std::string& name) const {
  if (auto versioned = name + tool_suffix_; !path_of(versioned).empty()) return versioned;
  return path_of(name).empty() ? "" : name;
}

Status Toolchain::install(const WorkFolder& work) const {
  if (flags_by_ == FlagsBy::cargo) {
    TRY(work.make_folder("bin"));
    return work.write(rustc_wrapper, wrapper_of_rustc(bootstraps_), true);
  }
  if (flags_by_ != FlagsBy::wrapper) return {};
  TRY(work.make_folder("bin"));
  for (const auto& name :
       {std::string("cc"), std::string("gcc"), std::string("clang"), name_of(c_path_)})
    TRY(work.write("bin/" + name, wrapper_of(c_path_), true));
  for (const auto& name :
       {std::string("c++"), std::string("g++"), std::string("clang++"), name_of(cplusplus_path_)})
    TRY(work.write("bin/" + name, wrapper_of(cplusplus_path_), true));
  return {};
}

Status Toolchain::write_options(const WorkFolder& work, const std::string& build,
                                const Options& options) const {
  std::error_code error;
  TRY(work.make_folder(build));
  for (const char* list : {"/compiled", "/unoptimized"}) fs::remove(work.file(build + list), error);
  if (flags_by_ == FlagsBy::cargo) {
    std::string lines;
    for (const auto& word : options.compile) lines += word + "\n";
    for (const auto& word : options.link) lines += fmt::format("-Clink-arg={}\n", word);
    return work.write(build + "/compile", lines);
  }
  // What has no use in a call of the compiler is none of the user's warnings.
  std::vector<std::string> compile{"--start-no-unused-arguments"}, link = compile;
  compile.insert(compile.end(), options.compile.begin(), options.compile.end());
  link.insert(link.end(), options.link.begin(), options.link.end());
  for (auto* words : {&compile, &link}) words->push_back("--end-no-unused-arguments");
  TRY(work.write(build + "/compile", in_options_file(compile)));
  TRY(work.write(build + "/link", in_options_file(link)));
  if (flags_by_ != FlagsBy::cmake) return {};
  return work.write(cmake_file, fmt::format("add_compile_options({})\nadd_link_options({})\n",
                                            cmake_list(options.compile), cmake_list(options.link)));
}

measure::Environment Toolchain::environment(const WorkFolder& work, const std::string& build,
                                            const Options& options) const {
  measure::Environment variables;
  if (flags_by_ != FlagsBy::build && flags_by_ != FlagsBy::cargo)
    variables = {{"CC", c_}, {"CXX", cplusplus_}};
  auto flags = [](const char* name, const std::vector<std::string>& words) {
    auto before = variable(name);
    if (before.empty() && std::string_view(name) != "LDFLAGS") before = "-O2";
    return std::pair(std::string(name), before + (before.empty() ? "" : " ") + shell_line(words));
  };
  switch (flags_by_) {
    case FlagsBy::wrapper:
      variables.emplace_back("PATH", work.absolute("bin") + ":" + variable("PATH"));
      variables.emplace_back("PGOKIT_BUILD", work.absolute(build));
      // It does not see the options.
      variables.emplace_back("CCACHE_DISABLE", "1");
      break;
    case FlagsBy::variables:
      variables.push_back(flags("CFLAGS", options.compile));
      variables.push_back(flags("CXXFLAGS", options.compile));
      variables.push_back(flags("LDFLAGS", options.link));
      break;
    case FlagsBy::cmake:
      variables.emplace_back("PGOKIT_CMAKE", work.absolute(cmake_file));
      break;
    case FlagsBy::cargo:
      variables = {{"RUSTC_WRAPPER", work.absolute(rustc_wrapper)},
                   {"PGOKIT_BUILD", work.absolute(build)},
                   {"CARGO_TARGET_DIR", work.absolute(target_folder(build))}};
      break;
    case FlagsBy::build:
      break;
  }
  return variables;
}

std::string Toolchain::shown(const WorkFolder& work, const std::string& build,
                             const std::string& command, const Options& options) const {
  std::string text;
  for (const auto& [name, value] : environment(work, build, options)) {
    if (name == "CCACHE_DISABLE") continue;
    auto word =
        name == "PATH" ? shell_word(work.absolute("bin")) + ":\"$PATH\"" : shell_word(value);
    text += fmt::format("{}={} ", name, word);
  }
  bool words = measure::command_of(command).front() != "/bin/sh";
  return text + (words ? command : "sh -c " + shell_word(command));
}

std::vector<std::string> sources_compiled(const WorkFolder& work, const std::string& build,
                                          bool unoptimized) {
  std::vector<std::string> sources;
  const auto* name_of_list = unoptimized ? "/unoptimized" : "/compiled";
  auto file = MappedFile::open_regular(work.file(build + name_of_list));
  if (!file) return sources;
  auto bytes = file->bytes();
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    auto name = line.substr(line.rfind('/') + 1);
    bool test = line.contains("/CMakeFiles/") || line.contains("/meson-private/") ||
                name.starts_with("CMakeC") || name.starts_with("conftest.");
    if (!test) sources.emplace_back(line);
  }
  std::ranges::sort(sources);
  auto same = std::ranges::unique(sources);
  sources.erase(same.begin(), same.end());
  return sources;
}

}  // namespace pgokit::optimize
