#include "cli/views/flag_styles.h"

#include <fmt/format.h>

namespace pgokit::cli {
namespace {

namespace fs = std::filesystem;

std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (char c : text) {
    if (special.contains(c)) result += '\\';
    result += c;
  }
  return result;
}

// CMake reads the file behind project(), so its flags are for all targets and for no check of the
// compiler. The run time stands behind all libraries of the project, which GNU ld wants.
Result<std::string> cmake_text(const InstrumentFlags& flags) {
  auto quoted = [](std::string_view word) { return escaped(word, "\\\"$;"); };
  std::string text =
      "# cmake -DCMAKE_PROJECT_INCLUDE=THIS_FILE ..., or include(THIS_FILE) right after "
      "project()\n"
      "include_guard(GLOBAL)\n"
      "get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)\n"
      "get_property(folders DIRECTORY PROPERTY SUBDIRECTORIES)\n"
      "if(targets OR folders)\n"
      "  message(FATAL_ERROR \"pgokit: targets are defined before these lines and would not be "
      "instrumented: put them right after project()\")\n"
      "endif()\n";
  auto out = std::back_inserter(text);
  if (flags.wants_compile) {
    // Each flag is one word: CMake drops words that are there twice.
    std::vector<std::string> words{flags.plugin_word()};
    for (const auto& option : flags.options) words.push_back("-mllvm=" + option);
    text += "add_compile_options(";
    for (const auto& word : words)
      fmt::format_to(out, "\n  \"$<$<COMPILE_LANGUAGE:C,CXX,OBJC,OBJCXX>:{}>\"", quoted(word));
    text += ")\n";
  }
  if (!flags.wants_link) return text;
  for (const auto& flag : flags.link)
    fmt::format_to(out, "add_link_options(\"{}\")\n", quoted(flag));
  for (const char* language : {"C", "CXX"})
    fmt::format_to(out,
                   "set(CMAKE_{0}_STANDARD_LIBRARIES \"${{CMAKE_{0}_STANDARD_LIBRARIES}} "
                   "\\\"{1}\\\"\")\n",
                   language, quoted(flags.library.string()));
  return text;
}

// Meson takes an argument that ends in .so for a library and hands it to the linker, also in
// checks: there the plugin goes by a name of its own.
Result<fs::path> plugin_of_meson(const fs::path& plugin) {
  fs::path name = plugin;
  name.replace_extension();
  std::error_code error;
  if (fs::exists(name, error)) return name;
  return fail(
      "{} is not there; Meson wants the plugin by a name that does not end in .so: ln -s {} {}",
      name.string(), plugin.filename().string(), name.string());
}

Result<std::string> meson_text(const InstrumentFlags& flags) {
  auto list = [](const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) {
      const char* quote = word.contains('\'') ? "'''" : "'";  // nothing is escaped there
      text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", quote, word, quote);
    }
    return "[" + text + "]";
  };
  InstrumentFlags own = flags;
  own.plugin = TRY(plugin_of_meson(flags.plugin));
  std::string text =
      "# meson setup --native-file THIS_FILE ..., or --cross-file\n[built-in options]\n";
  for (const char* language : {"c", "cpp"}) {
    if (flags.wants_compile)
      text += fmt::format("{}_args = {}\n", language, list(own.compile_words()));
    if (flags.wants_link)
      text += fmt::format("{}_link_args = {}\n", language, list(own.link_words()));
  }
  return text;
}

// What begins with '$' stands behind all else, and only where there is a link.
Result<std::string> clang_config_text(const InstrumentFlags& flags) {
  auto line = [](std::string_view flag) { return escaped(flag, "\\ \t\"'") + "\n"; };
  std::string text =
      "# clang-22 --config=THIS_FILE: CC=\"clang-22 --config=THIS_FILE\" of any build\n";
  if (flags.wants_compile) {
    for (const auto& flag : flags.compile_words()) text += line(flag);
  }
  if (flags.wants_link) {
    for (const auto& flag : flags.link_words()) text += "$" + line(flag);
  }
  return text;
}

constexpr FlagStyle styles[] = {
    {"cmake", "a file for cmake -DCMAKE_PROJECT_INCLUDE=FILE", cmake_text},
    {"meson", "a file for meson setup --native-file FILE", meson_text},
    {"clang-config", "a file for clang-22 --config=FILE, with any build", clang_config_text}};

}  // namespace

std::string InstrumentFlags::plugin_word() const { return "-fpass-plugin=" + plugin.string(); }

// For the compiler proper alone: -mllvm goes to the assembler of .S files too, which has no plugin.
std::vector<std::string> InstrumentFlags::compile_words() const {
  std::vector<std::string> words{plugin_word()};
  for (const auto& option : options)
    words.insert(words.end(), {"-Xclang", "-mllvm", "-Xclang", option});
  return words;
}

std::vector<std::string> InstrumentFlags::link_words() const {
  std::vector<std::string> words{library.string()};
  words.insert(words.end(), link.begin(), link.end());
  return words;
}

const FlagStyle* find_style(std::string_view name) {
  for (const auto& style : styles)
    if (style.name == name) return &style;
  return nullptr;
}

std::string style_names() {
  std::string text;
  for (const auto& style : styles) text += (text.empty() ? "" : ", ") + std::string(style.name);
  return text;
}

std::string style_help() {
  std::string text;
  for (const auto& style : styles) text += fmt::format("  {:<16}{}\n", style.name, style.help);
  return text;
}

}  // namespace pgokit::cli
