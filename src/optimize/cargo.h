#pragma once

// One program of a cargo workspace, and how cargo builds it.
//
//   Cargo cargo{.bin = "app", .arguments = {"--locked"}};
//   auto root = TRY(cargo.workspace(""));                  // of the current folder
//   use(cargo.build_command());                            // cargo build --release --bin app --locked
//   auto program = TRY(cargo.built("target"));             // "target/release/app"

#include <string>
#include <vector>

#include "base/result.h"
#include "optimize/rustc.h"

namespace pgokit::optimize {

struct Cargo {
  std::string command = "cargo";
  std::string profile = "release";                  // cargo's: a name for settings of the build
  std::string target = {}, bin = {}, example = {};  // empty: those of cargo
  std::vector<std::string> arguments = {};          // of cargo build, beside those
  Rustc rustc = {};

  std::string build_command() const;
  // The folder of the workspace that a manifest belongs to; empty: that of the current folder.
  Result<std::string> workspace(const std::string& manifest) const;
  // What was built into a target folder: the program of that name, or the only one.
  Result<std::string> built(const std::string& folder) const;
};

// $CARGO, which cargo sets for its subcommands, or cargo; an error where it is not installed.
Result<std::string> find_cargo();

}  // namespace pgokit::optimize
