#pragma once

// A scalar of YAML within one line: plain, 'quoted' (two quotes are one) or "escaped".
//
//   ScalarTexts texts;
//   auto scalar = read_scalar("'it''s', Line: 3 }", ",}", texts);   // value it's, size 7
//   if (!scalar) return fail("a quote is open");
//   texts.clear();                                                  // its views end here
//
// Most scalars are views of the file; those that have to be put together are in `texts`.

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"

namespace pgokit::remarks {

// Strings that stay where they are until clear(), and are used again after that.
class ScalarTexts {
 public:
  std::string& next() {
    if (used_ == texts_.size()) texts_.emplace_back();
    auto& text = texts_[used_++];
    text.clear();
    return text;
  }
  void clear() { used_ = 0; }

 private:
  std::deque<std::string> texts_;
  size_t used_ = 0;
};

struct Scalar {
  std::string_view value;
  size_t size = 0;  // of the characters that it takes
};

// The scalar that `line` begins with; a plain one reaches to a character of `ends` or to the end of
// the line, without blanks there. Nothing: a quote that is not closed, or an escape that is none.
std::optional<Scalar> read_scalar(std::string_view line, std::string_view ends, ScalarTexts& texts);

}  // namespace pgokit::remarks
