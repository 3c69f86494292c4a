#pragma once

// A sample profile from which functions, or some sites of them, are left out.
//
//   auto profile = TRY(ShortenedProfile::read("app.prof"));
//   TRY(profile.write_without({.functions = {0, 7}}, "shorter.prof"));    // by number, the hottest is 0
//   auto sites = TRY(profile.sites_of(3));
//   TRY(profile.write_without({.functions = {}, .sites = {{3, {0}}}}, "shorter.prof"));

#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "bisect/sites.h"
#include "profile/format.h"

namespace pgokit::bisect {

struct LeftOut {
  Numbers functions = {};
  std::map<size_t, Numbers> sites = {};  // of functions that are not left out, by their numbers

  bool empty() const { return functions.empty() && sites.empty(); }
};

class ShortenedProfile {
 public:
  // An error where no function is in it.
  static Result<ShortenedProfile> read(const std::string& path);

  // Functions, each with all of its contexts.
  size_t count() const { return functions_.size(); }
  std::string name(size_t number) const { return functions_[number]; }
  bool is_by_probes() const { return by_probes_; }
  // Of one function, and how many there are at most in one.
  Result<std::vector<Site>> sites_of(size_t number) const;
  size_t most_sites() const { return most_sites_; }

  // In the form of the file. What was inlined stays part of its callers; the list of symbols loses
  // the functions too, as the compiler takes those in it for cold. A function of which all sites are
  // left out is left out.
  Status write_without(const LeftOut& left_out, const std::string& path) const;

 private:
  explicit ShortenedProfile(MappedFile file) : file_(std::move(file)) {}
  Result<profile::ReadProfile> read_again() const;

  MappedFile file_;
  std::vector<std::string> functions_;  // by samples downwards
  bool by_probes_ = false;
  size_t most_sites_ = 0;
};

}  // namespace pgokit::bisect
