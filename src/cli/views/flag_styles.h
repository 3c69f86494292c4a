#pragma once

// The flags of `pgokit flags` as files of build systems.
//
//   if (const auto* style = find_style("cmake")) text = TRY(style->text(flags));

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pgokit::cli {

struct InstrumentFlags {
  std::filesystem::path plugin, library;
  std::vector<std::string> options;  // of the plugin: -pgokit-...
  std::vector<std::string> link;     // without the library
  bool wants_compile = true, wants_link = true;

  std::string plugin_word() const;
  // All words, in order.
  std::vector<std::string> compile_words() const;
  std::vector<std::string> link_words() const;
};

struct FlagStyle {
  std::string_view name, help;
  Result<std::string> (*text)(const InstrumentFlags& flags);
};

// Null: there is none of that name.
const FlagStyle* find_style(std::string_view name);
// "cmake, meson, clang-config"
std::string style_names();
// A line for each.
std::string style_help();

}  // namespace pgokit::cli
