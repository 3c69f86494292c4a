#pragma once

// Which compiler built a program, and how that compiler is called: for a build that can be
// profiled, and for one that uses the profile. No other file names such options of compilers.
//
//   Compiler compiler = compiler_of(facts.producer);
//   say("compile with {}", profiling_options(compiler));
//   for (const auto& line : use_commands(compiler, "app.prof", {.probes = true})) print(line);

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/consumers.h"
#include "program/program.h"

namespace pgokit::cli {

enum class CompilerFamily { unknown, clang, gcc, rustc, other };

struct Compiler {
  CompilerFamily family = CompilerFamily::unknown;
  unsigned version = 0;  // the first number; 0: not told
  bool cplusplus = false, nightly = false;
  std::string name;  // of other ones, for people
};

// `producer`: as program::producer_of() gives it.
Compiler compiler_of(std::string_view producer);
Compiler compiler_of(const program::Program& program);
// The one that a file is written for: `built_by` where the target leaves the version open.
Compiler compiler_for(const pipeline::Target& target, const Compiler& built_by);
// What is written for this GCC; of an unknown version, the usual one.
pipeline::Target target_of_gcc(const Compiler& gcc);
// A version that was left open is that of the GCC that built the program; the options of writing
// are then as the target wants them. Fails for a program of which nothing can be written for it.
Status fit_target(pipeline::Target& target, const program::Program& program,
                  profile::WriteOptions& options);

// The producer without the options that GCC and clang may add, and never a whole screen of it.
std::string short_producer(std::string_view producer);

// What the profile is attributed by.
struct ProfileKind {
  bool probes = false;
  bool unique_names = false;    // static functions have names with a hash of their file's path
  bool absolute_paths = false;  // ... which is an absolute one: mapped, they would have other names
  bool rust_v0 = false;         // names of Rust begin with _R
};

// "-g -fdebug-info-for-profiling": what the program to be recorded is compiled with.
std::string profiling_options(const Compiler& compiler, ProfileKind kind = {});

// The same for a program that is built in `folder`, each a word.
std::vector<std::string> profiling_words(const Compiler& compiler, ProfileKind kind,
                                         const std::string& folder);

// The option that gives each block of a line its own discriminator; empty where there is none, or
// none is needed.
std::string_view discriminator_option(const Compiler& compiler);
// The option that puts probes into the program; empty where the compiler has none.
std::string_view probe_option(const Compiler& compiler);

// Shell commands that build the program with a profile, in their order; each a line.
std::vector<std::string> use_commands(const Compiler& compiler, const std::string& profile,
                                      ProfileKind kind);

// Shell commands that compile and link it with the layout of its blocks and functions.
std::vector<std::string> layout_commands(const Compiler& compiler, const std::string& clusters,
                                         const std::string& symbol_order);

// The command that builds it with a profile in GCC's format, whatever compiler built it before.
std::string use_command_of_gcc(const Compiler& compiler, const std::string& profile);

// The road from a program to a faster one as clang's user types it, for help.
inline constexpr char road_in_commands[] =
    "  flags=\"-O2 -g -fdebug-info-for-profiling -funique-internal-linkage-names "
    "-fmacro-prefix-map=$PWD/=\"\n"
    "  clang $flags ... -o app\n"
    "  pgokit record -o app.perf -- ./app input\n"
    "  pgokit generate app.perf -b ./app -o app.prof\n"
    "  clang $flags -fprofile-sample-use=$PWD/app.prof ... -o app\n";

}  // namespace pgokit::cli
