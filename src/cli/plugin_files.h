#pragma once

// Where the plugin of clang and the run time of instrumented programs are: installed in lib/pgokit
// beside bin, and the same in the build tree.
//
//   auto files = TRY(find_plugin({.folder = "", .clang = "clang-19"}));
//   use(files.plugin, files.folder / "libpgokit_rt.a");
//
//   lib/pgokit/libpgokit_rt.a ...
//   lib/pgokit/llvm-NN/pgokit-plugin.so      for clang and lld of LLVM NN
//   lib/pgokit/pgokit-plugin.so              a link to that of LLVM 22

#include <filesystem>
#include <string>

#include "base/result.h"

namespace pgokit::cli {

struct PluginFiles {
  std::filesystem::path folder, plugin;
};

struct WantedPlugin {
  std::string folder;  // empty: as above
  std::string clang;   // that is to load it, which is asked for its version; empty: LLVM 22's
};

// An error that says where it was looked for, and what to install.
Result<PluginFiles> find_plugin(const WantedPlugin& wanted);

}  // namespace pgokit::cli
