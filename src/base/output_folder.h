#pragma once

// A folder that output files go to, made with those above it where it is not there.
//
//   auto folder = TRY(OutputFolder::create("profiles/of/today/"));
//   ... OutputFile::create("profiles/of/today/app.prof") ...
//
// What was made is removed again when this goes, unless something has come into it by then: a
// command that fails leaves no empty folders.

#include <string>
#include <vector>

#include "base/result.h"

namespace pgokit {

class OutputFolder {
 public:
  static Result<OutputFolder> create(const std::string& path);

  OutputFolder() = default;  // of no folder
  OutputFolder(OutputFolder&& other) noexcept { made_.swap(other.made_); }
  OutputFolder& operator=(OutputFolder&& other) noexcept {
    made_.swap(other.made_);
    return *this;
  }
  ~OutputFolder();

 private:
  std::vector<std::string> made_;  // the outermost first
};

}  // namespace pgokit
