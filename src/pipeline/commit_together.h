#pragma once

// Output files that appear together: all of them, or none.
//
//   NamedOutput map{path, TRY(OutputFile::create(path))};
//   map.file.write(text);
//   TRY(commit_together(std::vector{map.pending()}));

#include <span>
#include <string>
#include <vector>

#include "base/file.h"

namespace pgokit::pipeline {

struct PendingOutput {
  std::string path;
  OutputFile* file;
};

struct NamedOutput {
  std::string path;
  OutputFile file;

  PendingOutput pending() { return {path, &file}; }
};

// Where one fails, those before it are removed again; what is no regular file (/dev/null) stays.
Status commit_together(std::span<const PendingOutput> outputs);

}  // namespace pgokit::pipeline
