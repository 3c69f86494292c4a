#pragma once

// `pgokit report -o report.html`: what the files tell, as one page.
//
//   PageOptions options{.inputs = {"app.perf"}, .binary = "app", .output = "report.html"};
//   auto page = TRY(make_page(options));
//   TRY(page.commit());

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "isa/formatter.h"
#include "profile/model/profile.h"

namespace pgokit::cli {

inline constexpr u64 usual_size = 2;  // millions of bytes

struct PageOptions {
  std::vector<std::string> inputs = {};  // recordings or counts, or profiles
  std::string before = {};               // a profile to compare with
  std::string binary = {};
  std::string order = {};        // an order file: how the code would lie
  std::string measurement = {};  // JSON of `pgokit measure`
  std::string explanation = {};  // JSON of `pgokit explain`
  std::string remarks = {};      // optimization remarks: a file, or a folder with them
  std::string source = {};       // of a profile: the folder of its sources
  std::string output = {};
  u64 max_size = usual_size;
  isa::Syntax syntax = isa::Syntax::att;
  bool of_profile = false;  // what inputs are
  bool mangled = false;
  bool ignore_build_id = false;
  unsigned threads = 0;
};

// Nothing of it appears before commit().
Result<OutputFile> make_page(const PageOptions& options);

// Source can be shown with a profile by lines only.
Status check_has_lines(const profile::Profile& profile, const std::string& path);

}  // namespace pgokit::cli
