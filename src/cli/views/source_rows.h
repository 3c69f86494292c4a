#pragma once

// Lines of a source file with counts, on a screen; lines between two with counts too, unless they
// are many.
//
//   SourceRows rows(file);
//   text += rows.heading();
//   rows.append(12, "1,000", text, [&](u32 line, std::string& text) { ... });   // after each row
//   SourceRows::append_note("calls f", text);

#include <string>

#include "annotate/source_text.h"
#include "report/print.h"

namespace pgokit::cli {

class SourceRows {
 public:
  static constexpr size_t count_width = 15;

  explicit SourceRows(const annotate::SourceText& source) : source_(source) {}

  std::string heading() const {
    std::string text;
    if (!source_.is_there())
      text += report::format("           not shown: {}\n", source_.missing());
    return text + report::format("\n{:>{}} {:>7}\n", "count", count_width, "line");
  }

  // Lines ascend. `after(line, text)` is called for all rows that are shown.
  template <class After>
  void append(u32 line, const std::string& count, std::string& text, After after) {
    constexpr u32 most_between = 8;
    if (previous_ && line - previous_ - 1 > most_between)
      text += report::format("{:>{}} {:>7}\n", "", count_width, "...");
    else
      for (u32 between = previous_ + 1; previous_ && between < line && source_.is_there();
           ++between) {
        text += row(between, "");
        after(between, text);
      }
    text += row(line, count);
    after(line, text);
    previous_ = line;
  }

  static void append_note(const std::string& note, std::string& text) {
    text += report::format("{:>{}} {:>7}  ; {}\n", "", count_width, "", note);
  }

 private:
  // Indented as in the file, with blanks.
  std::string row(u32 line, const std::string& count) const {
    std::string words;
    for (char c : source_.line(line)) c == '\t' ? words.append(4, ' ') : words.append(1, c);
    return report::format("{:>{}} {:>7}  {}\n", count, count_width, line, words);
  }

  const annotate::SourceText& source_;
  u32 previous_ = 0;
};

}  // namespace pgokit::cli
