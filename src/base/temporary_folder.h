#pragma once

// A folder of one's own for files that go between this and another command; it goes with them.
//
//   auto folder = TRY(TemporaryFolder::create());
//   write_it(folder.file("app.fdata"));
//
// In place_of_temporaries(): TMPDIR, or /tmp.

#include <string>
#include <utility>

#include "base/result.h"

namespace pgokit {

std::string place_of_temporaries();

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TemporaryFolder();

  std::string file(std::string_view name) const;

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: it was moved from
};

}  // namespace pgokit
