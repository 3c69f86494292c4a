#include "cli/views/man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/version.h"

namespace pgokit::cli {
namespace {

// Characters as they are on a keyboard: without this a dash is a hyphen, and quotes are curved.
std::string escaped(std::string_view text) {
  std::string result;
  bool begins_line = true;
  for (char c : text) {
    if (begins_line && c == '.') result += "\\&";
    begins_line = c == '\n';
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

// "[INPUT...]"
std::string positional(const Option& option) {
  std::string name = italic(option.names) + (is_list(option) ? "..." : "");
  return option.required ? name : "[" + name + "]";
}

std::string synopsis(const CommandText& command) {
  const auto& table = command.table;
  std::string text = ".SH SYNOPSIS\n";
  std::vector<std::string> lines;
  for (const auto& line : table.usage) lines.push_back(escaped(line));
  if (!command.subcommands.empty()) lines.push_back(italic("COMMAND") + " [options]");
  if (lines.empty()) {
    std::string line = "[options]";
    for (const auto& option : table.options)
      if (is_positional(option) && !option.hidden) line += " " + positional(option);
    lines.push_back(std::move(line));
  }
  for (size_t i = 0; i < lines.size(); ++i)
    text += fmt::format("{}{} {}\n", i ? ".br\n" : "", bold(command.name), lines[i]);
  return text;
}

void add_option(std::string& text, const Option& option) {
  std::vector<std::string> names;
  for (auto name : names_of(option)) names.push_back(bold(name));
  if (is_positional(option)) names.push_back(italic(option.names));
  fmt::format_to(std::back_inserter(text), ".TP\n{}", fmt::join(names, ", "));
  if (!option.value.empty()) text += " " + italic(option.value);
  fmt::format_to(std::back_inserter(text), "\n{}\n",
                 option.help.empty() ? "\\&" : escaped(option.help));
}

std::string options_text(const OptionTable& table) {
  std::string text;
  for (bool positionals : {true, false})
    for (const auto& option : table.options)
      if (!option.hidden && is_positional(option) == positionals) add_option(text, option);
  return ".SH OPTIONS\n" + text + ".TP\n" + bold("--help") + "\nprint a summary and all options\n";
}

// What --help has after the options: paragraphs, and headings ("kinds:") with indented lines.
class Footer {
 public:
  explicit Footer(std::string_view text) {
    while (!text.empty()) {
      size_t end = std::min(text.find('\n'), text.size());
      add(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    leave_block();
  }

  std::string text() const {
    std::string text;
    if (!notes_.empty()) text += ".SH NOTES\n" + notes_;
    if (!examples_.empty()) text += ".SH EXAMPLES\n" + examples_;
    return text;
  }

 private:
  void add(std::string_view line) {
    if (line.starts_with(' ')) {
      if (!in_block_) *part_ += ".PP\n.EX\n";
      in_block_ = true;
      *part_ += escaped(line) + "\n";
      return;
    }
    leave_block();
    if (line.empty()) {
      begins_paragraph_ = true;
    } else if (begins_paragraph_ && line.ends_with(':')) {
      begin_part(line.substr(0, line.size() - 1));
    } else {
      if (begins_paragraph_) notes_ += ".PP\n";
      part_ = &notes_;
      notes_ += escaped(line) + "\n";
      begins_paragraph_ = false;
    }
  }

  void begin_part(std::string_view heading) {
    bool example = heading.starts_with("example");
    part_ = example ? &examples_ : &notes_;
    if (example) return;
    std::string title = escaped(heading);
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    notes_ += ".SS " + title + "\n";
  }

  void leave_block() {
    if (in_block_) *part_ += ".EE\n";
    begins_paragraph_ |= in_block_;
    in_block_ = false;
  }

  std::string notes_, examples_;
  std::string* part_ = &notes_;
  bool in_block_ = false, begins_paragraph_ = true;
};

std::string commands_text(const CommandText& command) {
  std::string text = ".SH COMMANDS\n";
  for (const auto& one : command.subcommands)
    text += fmt::format(".TP\n{}(1)\n{}\n", bold(man_page_name(one)), escaped(one.summary));
  return text;
}

}  // namespace

std::string man_page_name(const CommandText& command) {
  std::string name = command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page(const CommandText& command, const CommandText& program) {
  const auto& table = command.table;
  std::string name = man_page_name(command), title = name;
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = fmt::format(
      ".\\\" Printed by '{} help --man'.\n"
      ".TH {} 1 \"\" \"pgokit {}\" \"User Commands\"\n"
      ".nh\n.ad l\n"  // words are options and names of files
      ".SH NAME\n{} \\- {}\n",
      program.name, escaped(title), version, escaped(name), escaped(command.summary));
  text += synopsis(command);
  text += fmt::format(".SH DESCRIPTION\n{}\n",
                      escaped(table.summary.empty() ? command.summary : table.summary));
  if (!command.subcommands.empty()) text += commands_text(command);
  if (!table.options.empty()) text += options_text(table);
  text += Footer(table.footer).text();
  if (command.name != program.name)
    text += fmt::format(".SH SEE ALSO\n{}(1)\n", bold(man_page_name(program)));
  return text;
}

}  // namespace pgokit::cli
