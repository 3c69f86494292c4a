#pragma once

// What `--markdown` prints, for the comments of a code review.
//
//   std::string text = markdown({.title = "Profile", .name = "app.prof", .verdict = "good",
//                                .columns = {"measure", "value"}, .rows = {{"density", "93.1"}},
//                                .details = in_full});
//
// Names come from files: they stand in code, so that nothing of them is a link, a mention or markup.

#include <string>
#include <string_view>
#include <vector>

namespace pgokit::report {

struct MarkdownPage {
  std::string title, name, verdict;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
  std::string details;                         // the command's text, folded
};

std::string markdown(const MarkdownPage& page);

// In one line, as code.
std::string markdown_code(std::string_view text);
// Of several lines, as a block of code that no line of it can end.
std::string markdown_block(std::string_view text);

}  // namespace pgokit::report
