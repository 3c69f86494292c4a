#pragma once

// A sample profile from which functions are left out.
//
//   auto profile = TRY(ShortenedProfile::read("app.prof"));
//   TRY(profile.write_without({0, 7}, "shorter.prof"));       // by number, the hottest is 0

#include <string>
#include <vector>

#include "base/file.h"
#include "profile/format.h"

namespace pgokit::bisect {

class ShortenedProfile {
 public:
  // An error where no function is in it.
  static Result<ShortenedProfile> read(const std::string& path);

  // Functions, each with all of its contexts.
  size_t count() const { return functions_.size(); }
  std::string name(size_t number) const { return functions_[number]; }
  // In the form of the file. What was inlined stays part of its callers; the list of symbols loses
  // the functions too, as the compiler takes those in it for cold.
  Status write_without(const std::vector<size_t>& numbers, const std::string& path) const;

 private:
  explicit ShortenedProfile(MappedFile file) : file_(std::move(file)) {}

  MappedFile file_;
  std::vector<std::string> functions_;  // by samples downwards
};

}  // namespace pgokit::bisect
