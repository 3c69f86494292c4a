#pragma once

// Text that is written in pieces, so that memory does not grow with it.
//
//   ListOutput out(file);
//   out.put("{} probes\n", n);
//   out.flush(1 << 16);                // when there is more than that
//   out.flush();                       // at the end

#include <iterator>
#include <string>

#include "base/file.h"

namespace pgokit::cli {

class ListOutput {
 public:
  explicit ListOutput(OutputFile& file) : file_(file) {}

  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), text, std::forward<Args>(args)...);
  }
  std::string& text() { return text_; }
  void flush(size_t above = 0) {
    if (text_.size() <= above) return;
    file_.write(text_);
    text_.clear();
  }

 private:
  OutputFile& file_;
  std::string text_;
};

}  // namespace pgokit::cli
