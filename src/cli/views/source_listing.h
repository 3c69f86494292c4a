#pragma once

// Source lines with counts and remarks on a screen: of a function, and of what was inlined.
//
//   RemarkRows remarks(given, {"main"});
//   add_source_lines(path, lines, remarks, text);
//   remarks.append_rest(text);

#include <string>
#include <string_view>
#include <vector>

#include "annotate/function_code.h"
#include "annotate/function_remarks.h"
#include "report/json.h"

namespace pgokit::cli {

// The remarks of functions, each printed once: beside its line, or at the end.
class RemarkRows {
 public:
  // `remarks`: null where none were given.
  RemarkRows(const annotate::FunctionRemarks* remarks,
             const std::vector<std::string_view>& functions);

  void append_of(const std::string& path, u32 line, std::string& text);
  void append_rest(std::string& text) const;

 private:
  std::vector<const annotate::FunctionRemark*> left_;
};

void add_source_lines(const std::string& path, const std::vector<annotate::SourceLine>& lines,
                      RemarkRows& remarks, std::string& text);
report::Json lines_json(const std::vector<annotate::SourceLine>& lines);

}  // namespace pgokit::cli
