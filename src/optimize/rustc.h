#pragma once

// Which rustc there is, and what it calls the options of profiles.
//
//   auto rustc = TRY(find_rustc());               // "1.96.0", of LLVM 22
//   use(rustc.profiling());                       // -g -Cstrip=none -Zdebug-info-for-profiling
//   use(rustc.sampled + "app.prof");              // -Zprofile-sample-use=app.prof
//
// Until these options are stable, RUSTC_BOOTSTRAP=1 permits them in every rustc.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pgokit::optimize {

struct Rustc {
  std::string command = "rustc";  // RUSTC, as cargo takes it
  std::string release, host;      // "1.96.0", "x86_64-unknown-linux-gnu"
  unsigned llvm = 0;              // its major version
  std::string sampled;            // "-Zprofile-sample-use="; what follows names the profile
  std::string discriminators;     // "-Zdebug-info-for-profiling"
  bool unstable = false;          // they need RUSTC_BOOTSTRAP=1
  std::string plugin = {};        // that adds pseudo probes; empty: none can be loaded

  // What a program is compiled with that shall be recorded, and again with its profile.
  std::vector<std::string> profiling() const;
  // What adds probes to it, which RUSTC_BOOTSTRAP=1 permits.
  std::string probes() const { return "-Zllvm-plugins=" + plugin; }
  // Whether it does with a plugin, for an LLVM of that version: one function is compiled. A rustc
  // that has its own LLVM inside loads none.
  bool adds_probes(const std::string& file, unsigned llvm_of_plugin) const;
};

Result<Rustc> find_rustc();

// Of what `rustc -vV`, `-C help` and `-Z help` print.
Result<Rustc> rustc_of(std::string_view versions, std::string_view codegen_help,
                       std::string_view unstable_help);

}  // namespace pgokit::optimize
