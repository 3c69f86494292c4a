#pragma once

// Builds of one program with different options.
//
//   Builder builder(settings, work, toolchain, "plain");
//   TRY(builder.make({.name = "plain", .options = options}));
//   builder.program = "src/app";
//   TRY(builder.keep(build));

#include <string>

#include "optimize/optimize.h"

namespace pgokit::optimize {

class Builder {
 public:
  // `first`: the name of the first build, by which later ones are checked.
  Builder(const Settings& settings, const WorkFolder& work, const Toolchain& toolchain,
          std::string first);

  // Cleans and builds, and checks that everything was compiled with the options.
  Status make(const Build& build);
  // Keeps the program that was built.
  Status keep(Build& build);
  // The error of a build that is no other than the first.
  Error same_program() const;
  // In which words a build was asked for.
  std::string words(const Build& build) const;

  std::string program;  // its file, once that is known

 private:
  Status clean(const Build& build);
  Status forget_other_options(const Build& build) const;
  Status place_program(const Build& build);
  Status check_compiled(const std::string& build) const;

  const Settings& settings_;
  const WorkFolder& work_;
  const Toolchain& toolchain_;
  std::string first_;
  std::string build_;
  std::string clean_;
  bool guessed_;
  bool built_ = false;
};

// Whether two kept builds are the same program.
Result<bool> are_same(const Build& a, const Build& b);
// Whether they are so when they run: their debug information may differ.
Result<bool> have_same_code(const Build& a, const Build& b);

// Runs `command` with several builds in turn. Before each run, and not measured, the build is put
// where the program belongs, so that scripts and libraries find it.
measure::Plan plan_of(const std::vector<Build>& builds, const std::string& program,
                      const std::string& command);
// How a person does the same: "pgokit measure OPTIONS ...".
std::string command_of(const measure::Plan& plan, const std::string& options);

}  // namespace pgokit::optimize
