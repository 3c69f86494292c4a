#pragma once

// The compilers that build the program, and how options reach them whatever the build does.
//
//   auto toolchain = TRY(Toolchain::find(FlagsBy::wrapper));
//   TRY(toolchain.install(work));
//   TRY(toolchain.write_options(work, "plain", {.compile = {"-g"}}));
//   auto environment = toolchain.environment(work, "plain", {.compile = {"-g"}});
//   TRY(work.run({.text = "make", .log = "plain/log", .environment = environment}));
//   auto compiled = sources_compiled(work, "plain");       // by the wrapper
//
// The wrapper is a script under the names of the compilers, first in PATH. It adds the options in
// the files that are named by $PGOKIT_BUILD; without that variable it is the compiler itself, so
// that a build that was configured with it goes on as ever.

#include <string>
#include <vector>

#include "base/result.h"
#include "compilers/flags.h"
#include "optimize/rustc.h"
#include "optimize/work_folder.h"

namespace pgokit::optimize {

enum class FlagsBy : u8 {
  wrapper,    // that of the compilers
  variables,  // CFLAGS, CXXFLAGS, LDFLAGS
  cmake,      // a file for CMAKE_PROJECT_INCLUDE
  build,      // the build has them itself
  cargo,      // a wrapper of rustc, in a target folder for each build
};

using Options = compilers::Flags;

class Toolchain {
 public:
  // clang: that of CC and CXX, or the newest in PATH.
  static Result<Toolchain> find(FlagsBy flags_by);
  // Of cargo.
  static Toolchain of_rustc(const Rustc& rustc);

  // The wrapper, in the work folder.
  Status install(const WorkFolder& work) const;
  // For the build of that name.
  Status write_options(const WorkFolder& work, const std::string& build,
                       const Options& options) const;
  measure::Environment environment(const WorkFolder& work, const std::string& build,
                                   const Options& options) const;
  // "CC=clang-22 ... make": how a person does the same.
  std::string shown(const WorkFolder& work, const std::string& build, const std::string& command,
                    const Options& options) const;

  // A tool of the same version of LLVM, "llvm-bolt-22" beside clang-22, or of that name; empty: it
  // is not installed.
  std::string tool(const std::string& name) const;

  // What these compilers call the options of a build with a sample profile, with an order of
  // functions, that counts, and that uses such counts. `counted`: the profile is of a whole run, so
  // that what has no count in it did not run.
  Options sampled_profile(const std::string& profile, bool counted) const;
  Options order(const std::string& file) const;
  Options counting() const;
  Options counted(const std::string& profile) const;

  const std::string& c() const { return c_; }
  FlagsBy flags_by() const { return flags_by_; }

 private:
  std::string c_, cplusplus_;            // as CC and CXX say it
  std::string c_path_, cplusplus_path_;  // the programs
  std::string tool_suffix_;              // "-22": of LLVM's tools
  bool bootstraps_ = false;              // rustc needs RUSTC_BOOTSTRAP=1
  std::string sampled_;                  // rustc's option in front of a profile
  FlagsBy flags_by_ = FlagsBy::wrapper;
};

// Where cargo puts the build of that name, in the work folder.
std::string target_folder(const std::string& build);

// The sources that the wrapper compiled in a build, without those of tests of the compiler: all, or
// those without an option -O.
std::vector<std::string> sources_compiled(const WorkFolder& work, const std::string& build,
                                          bool unoptimized = false);

}  // namespace pgokit::optimize
