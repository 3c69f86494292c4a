#pragma once

// Which compiler built a program, and how that compiler is called: for a build that can be
// profiled, and for one that uses the profile: commands for people, of the options in
// compilers/flags.h.
//
//   Compiler compiler = compiler_of(facts.producer);
//   say("compile with {}", profiling_options(compiler));
//   for (const auto& line : use_commands(compiler, "app.prof", {.probes = true})) print(line);

#include <string>
#include <string_view>
#include <vector>

#include "compilers/compiler.h"
#include "compilers/flags.h"
#include "pipeline/consumers.h"
#include "program/program.h"

namespace pgokit::cli {

using compilers::Compiler;
using compilers::compiler_of;
using compilers::CompilerFamily;
using compilers::discriminator_option;
using compilers::probe_option;
using compilers::ProfileKind;
using compilers::short_producer;

Compiler compiler_of(const program::Program& program);
// The one that a file is written for: `built_by` where the target leaves the version open.
Compiler compiler_for(const pipeline::Target& target, const Compiler& built_by);
// What is written for this GCC; of an unknown version, the usual one.
pipeline::Target target_of_gcc(const Compiler& gcc);
// A version that was left open is that of the GCC that built the program; the options of writing
// are then as the target wants them. Fails for a program of which nothing can be written for it.
Status fit_target(pipeline::Target& target, const program::Program& program,
                  profile::WriteOptions& options);

// "-g -fdebug-info-for-profiling": what the program to be recorded is compiled with.
std::string profiling_options(const Compiler& compiler, const ProfileKind& kind = {});

// How compilers may be given sources below a folder, as they run in the current one or in one some
// levels below: "../", "../../".
std::vector<std::string> relative_ways_to(const std::string& root);

// The options of clang, but for those of places, for commands that build a program to be recorded
// from the current folder: those of `pgokit flags profile` in it.
std::vector<std::string> profiling_words_here();

// "-fmacro-prefix-map=$PWD/=", for a shell, or with the folder of that source file if that is not
// below this one: takes the folder off names that are made of the paths of sources.
std::string option_to_map(const std::string& source);

// Shell commands that build the program with a profile, in their order; each a line.
std::vector<std::string> use_commands(const Compiler& compiler, const std::string& profile,
                                      const ProfileKind& kind);

// The one that says what to add to a build system for that.
std::string build_system_command(std::string_view profile);

// Shell commands that compile and link it with the layout of its blocks and functions.
std::vector<std::string> layout_commands(const Compiler& compiler, const std::string& clusters,
                                         const std::string& symbol_order);

// The command that builds it with a profile in GCC's format, whatever compiler built it before.
std::string use_command_of_gcc(const Compiler& compiler, const std::string& profile);

// The road from a program to a faster one as clang's user types it, for help.
inline constexpr char road_in_commands[] =
    "  flags=\"-O2 -g -fdebug-info-for-profiling -funique-internal-linkage-names "
    "-fmacro-prefix-map=$PWD/=\"\n"
    "  probes=-fpseudo-probe-for-profiling\n"
    "  clang $flags $probes ... -o app\n"
    "  pgokit record -o app.perf -- ./app input\n"
    "  pgokit generate app.perf -b ./app -o app.prof\n"
    "  clang $flags $probes -fprofile-sample-use=$PWD/app.prof ... -o app\n";

}  // namespace pgokit::cli
