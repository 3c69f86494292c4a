#pragma once

// Builds of one program with different options.
//
//   Builder builder(settings, work, toolchain);
//   TRY(builder.make({.name = "plain", .options = options}));
//   builder.program = "src/app";
//   TRY(builder.keep(build, nullptr));

#include <string>

#include "optimize/optimize.h"

namespace pgokit::optimize {

class Builder {
 public:
  Builder(const Settings& settings, const WorkFolder& work, const Toolchain& toolchain);

  // Cleans and builds, and checks that everything was compiled with the options.
  Status make(const Build& build);
  // Keeps the program that was built. An error if it is that of `plain`.
  Status keep(Build& build, const Build* plain);
  // In which words a build was asked for.
  std::string words(const Build& build) const;

  std::string program;  // its file, once that is known

 private:
  Status clean();
  Status check_compiled(const std::string& build) const;

  const Settings& settings_;
  const WorkFolder& work_;
  const Toolchain& toolchain_;
  std::string clean_;
  bool guessed_;
  bool built_ = false;
};

}  // namespace pgokit::optimize
