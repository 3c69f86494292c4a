#include "cli/plugin_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/command_output.h"
#include "cli/compilers.h"

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

std::vector<fs::path> places_of(const std::string& folder) {
  if (!folder.empty()) return {folder};
  std::error_code error;
  fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  return {bin.parent_path() / "lib" / "pgokit", bin.parent_path() / "lib64" / "pgokit", bin};
}

}  // namespace

Result<PluginFiles> find_plugin(const WantedPlugin& wanted) {
  unsigned llvm = wanted.clang.empty() ? usual_llvm : TRY(llvm_of(wanted.clang));
  const fs::path plugin =
      wanted.clang.empty() ? fs::path(name) : fs::path(fmt::format("llvm-{}", llvm)) / name;
  std::string looked;
  for (const auto& place : places_of(wanted.folder)) {
    std::error_code error;
    if (fs::exists(place / plugin, error)) {
      auto folder = fs::absolute(place, error);
      return PluginFiles{folder, folder / plugin};
    }
    looked += (looked.empty() ? "" : ", ") + place.string();
  }
  if (llvm == usual_llvm)
    return fail(
        "{} is not in {}: install the package pgokit-llvm-{}, or build pgokit where llvm-{}-dev is "
        "installed; --lib-dir tells another place",
        plugin.string(), looked, llvm, llvm);
  return fail(
      "{} is of LLVM {}, and {} is not in {}: the plugin is made for LLVM {} (package "
      "pgokit-llvm-{}), compile with clang-{}",
      wanted.clang, llvm, plugin.string(), looked, usual_llvm, usual_llvm, usual_llvm);
}

}  // namespace pgokit::cli
