#pragma once

// The page of `pgokit report`: one HTML file with everything in it, which no network is needed for.
//
//   Contents contents{.title = "app"};
//   contents.functions = &list;
//   std::string html = html_of(contents, false);
//
// What is null or empty has no section. The page is data (a <script> of JSON: columns, each name
// once) with page.js and page.css, which are embedded when pgokit is built. Texts of files are
// strings of that JSON, which scripts only ever show as text.
//
// A page has at most about `most_bytes`: of the flame graph, the functions and their code that part
// is left out which matters least, and the page says so.

#include <string>
#include <vector>

#include "annotate/code_heat.h"
#include "annotate/function_code.h"
#include "annotate/function_list.h"
#include "annotate/function_remarks.h"
#include "annotate/profile_source.h"
#include "page/call_tree.h"

namespace pgokit::page {

struct Fact {
  std::string name, value;
};

// A table of what is known, such as of the recording.
struct Facts {
  std::string heading;
  std::vector<Fact> rows;
};

struct Verdict {
  std::string word;  // "good", "thin", "estimated", "unsure", "stale": a class of the style sheet
  std::string text;  // a sentence
};

struct Contents {
  std::string title = {};
  std::vector<Verdict> verdicts = {};
  std::vector<Facts> facts = {};
  const annotate::FunctionList* functions = nullptr;
  const annotate::FunctionList* before = nullptr;      // to compare with
  const program::Program* program = nullptr;           // of the code
  std::vector<annotate::FunctionCode> code = {};       // of the hottest functions
  const annotate::FunctionRemarks* remarks = nullptr;  // of these
  std::vector<annotate::ProfiledSource> sources = {};  // of a profile, in place of code
  const CallTree* tree = nullptr;
  std::vector<std::pair<std::string, annotate::CodeHeat>> heat = {};  // with their titles
  std::string explanation = {};                                       // JSON of `pgokit explain`
  std::string measurement = {};                                       // JSON of `pgokit measure`
  size_t most_bytes = 2'000'000;
};

// `mangled`: names as the linker has them.
std::string html_of(const Contents& contents, bool mangled);

}  // namespace pgokit::page
