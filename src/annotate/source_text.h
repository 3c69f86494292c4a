#pragma once

// The lines of a source file, where it is still where it was compiled.
//
//   SourceText source = read_source(path);
//   if (source.is_there()) use(source.line(12));

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace pgokit::annotate {

class SourceText {
 public:
  explicit SourceText(std::string missing) : missing_(std::move(missing)) {}
  explicit SourceText(MappedFile file);

  bool is_there() const { return missing_.empty(); }
  // Why it is not, in words with its path.
  const std::string& missing() const { return missing_; }
  // From 1; empty behind the last.
  std::string_view line(u32 number) const;

 private:
  std::string missing_;
  std::vector<MappedFile> file_;  // that lines point into
  std::vector<std::string_view> lines_;
};

// A program may name any file as its source: only regular ones of text are read.
SourceText read_source(const std::string& path);

}  // namespace pgokit::annotate
