#include "report/markdown.h"

#include <algorithm>

#include "base/printable.h"
#include "report/print.h"

namespace pgokit::report {
namespace {

size_t longest_run(std::string_view text, char of) {
  size_t longest = 0, run = 0;
  for (char c : text) {
    run = c == of ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// Words of our own and numbers: only a bar would end a cell.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : printable_line(text)) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

void append_row(std::string& out, const std::vector<std::string>& cells) {
  for (const auto& text : cells) out += report::format("| {} ", cell(text));
  out += "|\n";
}

}  // namespace

std::string markdown_code(std::string_view text) {
  auto line = printable_line(text);
  std::string fence(longest_run(line, '`') + 1, '`');
  const char* space = line.starts_with('`') || line.ends_with('`') || line.empty() ? " " : "";
  return fence + space + line + space + fence;
}

std::string markdown_block(std::string_view text) {
  std::string fence(std::max<size_t>(3, longest_run(text, '`') + 1), '`');
  std::string out = fence + "text\n";
  out += text;
  if (!text.ends_with('\n')) out += '\n';
  return out + fence + "\n";
}

std::string markdown(const MarkdownPage& page) {
  std::string out =
      report::format("### {} {}: {}\n\n", page.title, markdown_code(page.name), page.verdict);
  if (!page.rows.empty()) {
    append_row(out, page.columns);
    append_row(out, std::vector<std::string>(page.columns.size(), "---"));
    for (const auto& row : page.rows) append_row(out, row);
    out += '\n';
  }
  out += "<details><summary>In full</summary>\n\n" + markdown_block(page.details);
  return out + "\n</details>\n";
}

}  // namespace pgokit::report
