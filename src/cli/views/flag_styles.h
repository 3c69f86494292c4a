#pragma once

// The flags of `pgokit flags` as files of build systems.
//
//   BuildFlags flags;
//   flags.compile = {"-g"};
//   if (const auto* style = find_style("cmake")) text = TRY(style->text(flags));

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pgokit::cli {

struct BuildFlags {
  // Of programs that are instrumented: empty where there is nothing of them.
  std::filesystem::path plugin = {}, library = {};
  std::vector<std::string> options = {};  // of the plugin: -pgokit-...
  // All other words.
  std::vector<std::string> compile = {}, link = {};
  std::vector<std::string> files = {};  // profiles and orders that words end in, by absolute paths
  std::string root = {};                // the folder of the sources, as words have it
  std::string_view by = {};             // what the profile counts at: "probes" or "lines"
  bool wants_compile = true, wants_link = true;

  std::string plugin_word() const;
  // All words, in order.
  std::vector<std::string> compile_words() const;
  std::vector<std::string> link_words() const;
};

struct FlagStyle {
  std::string_view name, help;
  Result<std::string> (*text)(const BuildFlags& flags);
  bool is_rust = false;     // for rustc
  bool knows_root = false;  // compilers are given the same paths in each folder of a build
};

// Null: there is none of that name.
const FlagStyle* find_style(std::string_view name);
// "cmake, meson, clang-config"
std::string style_names();
std::vector<std::string> style_list();
// A line for each.
std::string style_help();

}  // namespace pgokit::cli
