#include "cli/views/flag_styles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "base/shell_word.h"
#include "cli/assets.h"
#include "report/json.h"

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

// Without the words for folders that are always the same there.
std::vector<std::string> without_root(std::vector<std::string> words, const BuildFlags& flags) {
  if (!flags.root.empty())
    std::erase_if(words,
                  [&](const std::string& word) { return word.ends_with(flags.root + "/="); });
  return words;
}

std::string quoted_for_cmake(std::string_view word) { return escaped(word, "\\\"$;"); }

std::string file_in_cmake(size_t number) { return fmt::format("pgokit_file_{}", number); }

// With the variables in place of what is known to CMake alone.
std::string word_in_cmake(std::string_view word, const BuildFlags& flags) {
  auto with_variable = [&](std::string_view end, std::string_view variable,
                           std::string_view after) {
    return fmt::format("{}${{{}}}{}", quoted_for_cmake(word.substr(0, word.size() - end.size())),
                       variable, after);
  };
  for (size_t i = 0; i < flags.files.size(); ++i)
    if (word.ends_with(flags.files[i])) return with_variable(flags.files[i], file_in_cmake(i), "");
  auto root = flags.root + "/=";
  if (!flags.root.empty() && word.ends_with(root))
    return with_variable(root, "CMAKE_SOURCE_DIR", "/=");
  return quoted_for_cmake(word);
}

// CMake reads the file behind project(), so its flags are for all targets and for no check of the
// compiler. The run time stands behind all libraries of the project, which GNU ld wants.
Result<std::string> cmake_text(const BuildFlags& flags) {
  std::string text =
      "# cmake -DCMAKE_PROJECT_INCLUDE=THIS_FILE ..., or include(THIS_FILE) right after "
      "project()\n"
      "include_guard(GLOBAL)\n"
      "get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)\n"
      "get_property(folders DIRECTORY PROPERTY SUBDIRECTORIES)\n"
      "if(targets OR folders)\n"
      "  message(FATAL_ERROR \"pgokit: targets are defined before these lines and would not get "
      "these flags: put them right after project()\")\n"
      "endif()\n";
  auto out = std::back_inserter(text);
  if (!flags.files.empty()) text += linked_file_cmake;
  for (size_t i = 0; i < flags.files.size(); ++i)
    fmt::format_to(out, "pgokit_link_file({} \"{}\")\n", file_in_cmake(i),
                   quoted_for_cmake(flags.files[i]));
  if (flags.wants_compile) {
    // Each flag is one word: CMake drops words that are there twice.
    std::vector<std::string> words;
    if (!flags.plugin.empty()) words.push_back(flags.plugin_word());
    for (const auto& option : flags.options) words.push_back("-mllvm=" + option);
    words.insert(words.end(), flags.compile.begin(), flags.compile.end());
    text += "add_compile_options(";
    for (const auto& word : words)
      fmt::format_to(out, "\n  \"$<$<COMPILE_LANGUAGE:C,CXX,OBJC,OBJCXX>:{}>\"",
                     word_in_cmake(word, flags));
    text += ")\n";
  }
  if (!flags.wants_link) return text;
  for (const auto& flag : flags.link)
    fmt::format_to(out, "add_link_options(\"{}\")\n", word_in_cmake(flag, flags));
  if (flags.library.empty()) return text;
  for (const char* language : {"C", "CXX"})
    fmt::format_to(out,
                   "set(CMAKE_{0}_STANDARD_LIBRARIES \"${{CMAKE_{0}_STANDARD_LIBRARIES}} "
                   "\\\"{1}\\\"\")\n",
                   language, quoted_for_cmake(flags.library.string()));
  return text;
}

// Null: it is not set.
const char* environment(std::string_view variable) {
  return std::getenv(std::string(variable).c_str());
}

// Meson takes an argument that ends in .so for a library and hands it to the linker, also in
// checks: there the plugin goes by a name of its own.
Result<fs::path> plugin_of_meson(const fs::path& plugin) {
  if (plugin.empty()) return plugin;
  fs::path name = plugin;
  name.replace_extension();
  std::error_code error;
  if (fs::exists(name, error)) return name;
  return fail(
      "{} is not there; Meson wants the plugin by a name that does not end in .so: ln -s {} {}",
      name.string(), plugin.filename().string(), name.string());
}

// What Meson makes of CFLAGS and the like where no file says it.
Result<std::vector<std::string>> words_of_environment(
    std::initializer_list<std::string_view> variables) {
  std::vector<std::string> all;
  for (auto variable : variables) {
    const char* text = environment(variable);
    auto words = shell_words(text ? text : "");
    if (!words) return fail("{} has a quote that is not closed: {}", variable, text);
    all.insert(all.end(), words->begin(), words->end());
  }
  return all;
}

Result<std::string> meson_text(const BuildFlags& flags) {
  auto list = [](const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) {
      // Between three of them a backslash is one.
      const char* quote = word.find_first_of("'\\") != word.npos ? "'''" : "'";
      text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", quote, word, quote);
    }
    return "[" + text + "]";
  };
  BuildFlags own = flags;
  own.plugin = TRY(plugin_of_meson(flags.plugin));
  std::string text =
      "# meson setup --native-file THIS_FILE ..., or --cross-file\n[built-in options]\n";
  // Meson passes over the environment where a file says the same; what compiles links too.
  auto add = [&](std::string_view option, std::initializer_list<std::string_view> variables,
                 const std::vector<std::string>& own_words) -> Status {
    auto words = TRY(words_of_environment(variables));
    words.insert(words.end(), own_words.begin(), own_words.end());
    text += fmt::format("{} = {}\n", option, list(words));
    return {};
  };
  constexpr std::pair<std::string_view, std::string_view> languages[] = {{"c", "CFLAGS"},
                                                                         {"cpp", "CXXFLAGS"}};
  for (auto [language, variable] : languages) {
    if (flags.wants_compile)
      TRY(add(fmt::format("{}_args", language), {variable, "CPPFLAGS"}, own.compile_words()));
    if (flags.wants_link)
      TRY(add(fmt::format("{}_link_args", language), {variable, "LDFLAGS"}, own.link_words()));
  }
  return text;
}

// For recipes, which hand the variables to a shell.
std::string make_words(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words)
    for (char c : " " + shell_word(word)) {
      if (c == '$') text += '$';
      if (c == '#') text += '\\';
      text += c;
    }
  return text;
}

// For lists of what is made of them, which make reads itself.
std::string make_files(const std::vector<std::string>& files) {
  std::string text;
  for (const auto& file : files) {
    text += ' ';
    for (char c : file) {
      if (c == '$') text += '$';
      if (c == '#' || c == ' ') text += '\\';
      text += c;
    }
  }
  return text;
}

Result<std::string> make_text(const BuildFlags& flags) {
  std::string text = "# include THIS_FILE after CFLAGS, CXXFLAGS, LDFLAGS and LDLIBS are set\n";
  auto add = [&](std::string_view variable, const std::vector<std::string>& words) {
    if (!words.empty()) text += fmt::format("{} +={}\n", variable, make_words(words));
  };
  if (flags.wants_compile)
    for (const char* variable : {"CFLAGS", "CXXFLAGS"}) add(variable, flags.compile_words());
  if (flags.wants_link) {
    add("LDFLAGS", flags.link);
    if (!flags.library.empty()) add("LDLIBS", {flags.library.string()});
  }
  // For lines of the form "$(objects): $(PGOKIT_FILES)".
  if (!flags.files.empty()) text += fmt::format("PGOKIT_FILES +={}\n", make_files(flags.files));
  return text;
}

// What configure is told reaches compilers without quotes: it divides at each blank.
Result<std::string> autotools_text(const BuildFlags& flags) {
  std::string text;
  // Behind what the environment says, which configure passes over where it is told a variable.
  auto add = [&](std::string_view variable, std::string_view otherwise,
                 const std::vector<std::string>& words) -> Status {
    const char* before = environment(variable);
    std::string value(before ? before : otherwise);
    for (const auto& word : words) {
      if (shell_word(word) != word || word.contains('$'))
        return fail("'{}' needs quotes, which configure loses: use --style clang-config", word);
      value += (value.empty() ? "" : " ") + word;
    }
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", variable, shell_word(value));
    return {};
  };
  // Without CFLAGS, configure says -O2.
  if (flags.wants_compile)
    for (const char* variable : {"CFLAGS", "CXXFLAGS"})
      TRY(add(variable, "-O2", flags.compile_words()));
  if (flags.wants_link) {
    TRY(add("LDFLAGS", "", flags.link));
    if (!flags.library.empty()) TRY(add("LIBS", "", {flags.library.string()}));
  }
  return text + "\n";
}

// rustc calls a compiler of C to link.
Result<std::string> cargo_text(const BuildFlags& flags) {
  if (!flags.plugin.empty()) return fail("--style cargo is for profiles: rustc takes no plugin");
  std::string text =
      "# cargo build --release --config THIS_FILE, or .cargo/config.toml; of a stable toolchain "
      "with "
      "RUSTC_BOOTSTRAP=1\n[build]\n";
  text += "rustflags = [";
  const char* comma = "";
  auto add = [&](const std::string& word) {
    text += fmt::format("{}\n  \"{}\"", std::exchange(comma, ","), escaped(word, "\\\""));
  };
  if (flags.wants_compile)
    for (const auto& word : flags.compile) add(word);
  if (flags.wants_link)
    for (const auto& word : flags.link) add("-Clink-arg=" + word);
  return text + "\n]\n";
}

// Bazel looks at a profile itself, which is an input of each action then, and gives the option.
std::string bazel_word(std::string_view word, bool compiles) {
  constexpr std::pair<std::string_view, std::string_view> own[] = {
      {"-fprofile-sample-use=", "--fdo_optimize="},
      {"-fauto-profile=", "--fdo_optimize="},
      {"-fprofile-use=", "--fdo_optimize="},
      {"-fbasic-block-sections=list=", "--propeller_optimize_absolute_cc_profile="},
      {"-Wl,--symbol-ordering-file=", "--propeller_optimize_absolute_ld_profile="}};
  for (const auto& [option, replacement] : own)
    if (word.starts_with(option))
      return std::string(replacement).append(word.substr(option.size()));
  return std::string(compiles ? "--copt=" : "--linkopt=").append(word);
}

Result<std::string> bazel_text(const BuildFlags& flags) {
  if (!flags.plugin.empty())
    return fail(
        "--style bazel is for profiles: the plugin is a file that Bazel's toolchain has to name");
  std::string text = "# .bazelrc: bazel build -c opt --config=pgokit ...\n";
  auto add = [&](const std::vector<std::string>& words, bool compiles) -> Status {
    for (const auto& word : without_root(words, flags)) {
      auto own = bazel_word(word, compiles);
      if (own.starts_with("--fdo_optimize=") && !own.ends_with(".afdo") &&
          !own.ends_with(".profdata"))
        return fail("{}: Bazel knows a sample profile by its ending: name it .afdo",
                    own.substr(own.find('=') + 1));
      auto line = fmt::format("build:pgokit {}\n", shell_word(own));
      if (!text.contains(line)) text += line;
    }
    return {};
  };
  if (flags.wants_compile) TRY(add(flags.compile, true));
  if (flags.wants_link) TRY(add(flags.link, false));
  return text;
}

// What begins with '$' stands behind all else, and only where there is a link.
Result<std::string> clang_config_text(const BuildFlags& flags) {
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

Result<std::string> json_text(const BuildFlags& flags) {
  auto list = [](const std::vector<std::string>& words) {
    auto json = report::Json::array();
    for (const auto& word : words) json.push(word);
    return json;
  };
  auto json = report::Json::object();
  if (flags.wants_compile) json.set("compile", list(flags.compile_words()));
  if (flags.wants_link) json.set("link", list(flags.link_words()));
  json.set("files", list(flags.files)).set("by", flags.by);
  return json.text() + "\n";
}

constexpr FlagStyle styles[] = {
    {"cmake", "a file for cmake -DCMAKE_PROJECT_INCLUDE=FILE", cmake_text, false, true},
    {"meson", "a file for meson setup --native-file FILE", meson_text},
    {"make", "lines for a Makefile: include FILE", make_text},
    {"autotools", "variables for eval ./configure \"$(pgokit flags ...)\"", autotools_text},
    {"cargo", "a file for cargo build --config FILE; of profiles", cargo_text, true, true},
    {"bazel", "lines for .bazelrc; of profiles", bazel_text, false, true},
    {"clang-config", "a file for clang-22 --config=FILE, with any build", clang_config_text},
    {"json", "for scripts", json_text}};

}  // namespace

std::string BuildFlags::plugin_word() const { return "-fpass-plugin=" + plugin.string(); }

// For the compiler proper alone: -mllvm goes to the assembler of .S files too, which has no plugin.
std::vector<std::string> BuildFlags::compile_words() const {
  std::vector<std::string> words;
  if (!plugin.empty()) words.push_back(plugin_word());
  for (const auto& option : options)
    words.insert(words.end(), {"-Xclang", "-mllvm", "-Xclang", option});
  words.insert(words.end(), compile.begin(), compile.end());
  return words;
}

std::vector<std::string> BuildFlags::link_words() const {
  std::vector<std::string> words;
  if (!library.empty()) words.push_back(library.string());
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

std::vector<std::string> style_list() {
  std::vector<std::string> names;
  for (const auto& style : styles) names.emplace_back(style.name);
  return names;
}

std::string style_help() {
  std::string text;
  for (const auto& style : styles) text += fmt::format("  {:<16}{}\n", style.name, style.help);
  return text;
}

}  // namespace pgokit::cli
