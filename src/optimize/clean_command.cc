#include "optimize/clean_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace pgokit::optimize {
namespace {

using Words = std::vector<std::string_view>;

// Commands of a list: `a && b; c`.
std::vector<std::string_view> commands_of(std::string_view text) {
  std::vector<std::string_view> commands;
  while (!text.empty()) {
    auto end = std::min({text.find("&&"), text.find(';'), text.find('\n'), text.size()});
    commands.push_back(text.substr(0, end));
    size_t separator = text.substr(end).starts_with("&&") ? 2 : 1;
    text.remove_prefix(std::min(text.size(), end + separator));
  }
  return commands;
}

Words words_of(std::string_view command) {
  Words words;
  while (true) {
    auto start = command.find_first_not_of(" \t");
    if (start == command.npos) return words;
    command.remove_prefix(start);
    auto word = command.substr(0, command.find_first_of(" \t"));
    words.push_back(word);
    command.remove_prefix(word.size());
  }
}

std::string_view tool_of(const Words& words) {
  // Variables before a command are assignments.
  auto tool = std::ranges::find_if(words, [](auto word) { return !word.contains('='); });
  return tool == words.end() ? "" : tool->substr(tool->rfind('/') + 1);
}

// The options that name the folder and the file of the build, with their values.
std::string options_of(const Words& words, std::span<const std::string_view> names) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    for (auto name : names) {
      if (words[i] == name && i + 1 < words.size())
        text += fmt::format(" {} {}", name, words[i + 1]);
      else if (words[i].starts_with(name) && words[i] != name)
        text += fmt::format(" {}", words[i]);
    }
  return text;
}

std::string clean_by(const Words& words) {
  constexpr std::string_view of_make[] = {"-C", "--directory=", "-f", "--file=", "--makefile="},
                             of_ninja[] = {"-C", "-f"}, of_cmake[] = {"--build"};
  auto tool = tool_of(words);
  if (tool == "make" || tool == "gmake")
    return fmt::format("{}{} clean", tool, options_of(words, of_make));
  if (tool == "ninja") return fmt::format("ninja{} -t clean", options_of(words, of_ninja));
  if (tool == "cmake" && std::ranges::count(words, "--build") > 0)
    return fmt::format("cmake{} --target clean", options_of(words, of_cmake));
  if (tool == "meson" && std::ranges::count(words, "compile") > 0)
    return fmt::format("meson compile{} --clean", options_of(words, of_ninja));
  return "";
}

}  // namespace

std::string clean_command_of(const std::string& build) {
  constexpr std::string_view of_shells = "\"'`$()\\|<>{}";
  std::string folders, found;
  for (auto command : commands_of(build)) {
    auto words = words_of(command);
    bool plain = command.find_first_of(of_shells) == command.npos;
    if (tool_of(words) == "cd") {
      if (!plain || words.size() != 2) return "";
      folders += fmt::format("cd {} && ", words[1]);
    } else if (auto clean = clean_by(words); !clean.empty()) {
      if (!plain && clean.find_first_of(of_shells) != clean.npos) return "";
      found = folders + clean;
    }
  }
  return found;
}

}  // namespace pgokit::optimize
