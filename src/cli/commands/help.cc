#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/file.h"
#include "cli/command_table.h"
#include "cli/commands/commands.h"
#include "cli/commands/program_text.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "cli/views/man_page.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::vector<std::string> words;
  std::string folder;
  bool man = false;
};

// The command that words name: "probes dump".
Result<std::vector<const Command*>> find_commands(const std::vector<std::string>& words) {
  std::vector<const Command*> found;
  std::span<const Command* const> list = commands;
  for (const auto& word : words) {
    auto at = std::ranges::find(list, word, [](const Command* one) { return one->name; });
    if (at == list.end()) {
      if (list.empty()) return usage_error("{} has no subcommands", found.back()->name);
      std::vector<std::string_view> names;
      for (const auto* one : list) names.push_back(one->name);
      auto meant = nearest(word, names);
      return usage_error("there is no command '{}'; {}", word,
                         meant.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                       : fmt::format("did you mean '{}'?", meant));
    }
    found.push_back(*at);
    list = (*at)->subcommands;
  }
  return found;
}

Status write_pages(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail("{}: cannot be made: {}", folder, error.message());
  auto program = program_text();
  for (const auto* command : all_commands(program)) {
    auto path = (fs::path(folder) / (man_page_name(*command) + ".1")).string();
    auto file = TRY(OutputFile::create(path));
    file.write(man_page(*command, program));
    TRY(file.commit());
  }
  return {};
}

Status print_page(const std::vector<const Command*>& found) {
  auto program = program_text();
  const auto* text = &program;
  for (const auto* command : found) {
    auto is_it = [&](const CommandText& one) {
      return one.name == fmt::format("{} {}", text->name, command->name);
    };
    text = &*std::ranges::find_if(text->subcommands, is_it);
  }
  report::print("{}", report::lines(man_page(*text, program)));
  return {};
}

Result<int> help(const Settings& s) {
  auto found = TRY(find_commands(s.words));
  if (!s.folder.empty() && (!s.man || !found.empty()))
    return usage_error("--output is for --man of all commands");
  if (s.man && s.folder.empty()) TRY(print_page(found));
  if (s.man && !s.folder.empty()) TRY(write_pages(s.folder));
  if (s.man) return 0;
  if (found.empty()) return print_usage(stdout), 0;
  char word[] = "--help";
  char* const words[] = {word};
  return found.back()->run(std::span(words));
}

int run(std::span<char* const> arguments) {
  Settings s;
  OptionTable table{
      "pgokit help",
      "Tell what commands do and which options they have.",
      {one_of({"COMMAND", "", "a command, and its subcommand; without: the list of all", &s.words},
              command_names()),
       {"--man", "", "the manual page, in troff; without COMMAND that of the program", &s.man},
       {"-o,--output", "DIR", "--man: the pages of all commands, as files in this folder",
        &s.folder}},
      "\nexample:\n"
      "  pgokit help --man record | man -l -\n"
      "  pgokit help --man -o ~/.local/share/man/man1\n"};
  if (auto exit = parse_options(table, arguments)) return *exit;
  auto code = help(s);
  return code ? *code : report_failure("help", code.error());
}

}  // namespace

constexpr Command help_command{"help", "tell what commands do; manual pages", run};

}  // namespace pgokit::cli
