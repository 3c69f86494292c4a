#include "cli/plugin_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/command_output.h"
#include "cli/compilers.h"
#include "cli/library_folder.h"

namespace pgokit::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned usual_llvm = 22;
constexpr std::string_view name = "pgokit-plugin.so";

Result<unsigned> llvm_of(const std::string& clang) {
  auto text = TRY(output_of_command({clang, "--version"}));
  auto compiler = compiler_of(text);
  if (compiler.family == CompilerFamily::clang && compiler.version) return compiler.version;
  return fail("{}: '--version' does not name a clang: give the clang that compiles the program",
              clang);
}

}  // namespace

Result<PluginFiles> find_plugin(const WantedPlugin& wanted) {
  unsigned llvm = wanted.clang.empty() ? usual_llvm : TRY(llvm_of(wanted.clang));
  const fs::path plugin =
      wanted.clang.empty() ? fs::path(name) : fs::path(fmt::format("llvm-{}", llvm)) / name;
  auto folder = library_folder(wanted.folder, plugin);
  if (folder) return PluginFiles{*folder, *folder / plugin};
  const auto missing = std::move(folder).error().message;
  if (llvm == usual_llvm)
    return fail(
        "{}: install the package pgokit-llvm-{}, or build pgokit where llvm-{}-dev is installed; "
        "--lib-dir tells another place",
        missing, llvm, llvm);
  return fail(
      "{} is of LLVM {}, and {}: the plugin is made for LLVM {} (package pgokit-llvm-{}), compile "
      "with clang-{}",
      wanted.clang, llvm, missing, usual_llvm, usual_llvm, usual_llvm);
}

}  // namespace pgokit::cli
