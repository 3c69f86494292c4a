#pragma once

// One function's code as JSON for the page: columns by instruction, places, probes, branches,
// callers, source, also of what was inlined, and remarks.
//
//   CodeJson code_json(&program, nullptr, names);
//   std::string one = code_json.of(code);
//
// Of a profile there is the source alone.

#include <map>
#include <string>

#include "annotate/function_code.h"
#include "annotate/function_remarks.h"
#include "annotate/profile_source.h"
#include "annotate/source_text.h"
#include "page/json_text.h"
#include "page/page_names.h"

namespace pgokit::page {

class CodeJson {
 public:
  // `program`: null without code; `remarks`: null where there are none. All stay.
  CodeJson(const program::Program* program, const annotate::FunctionRemarks* remarks,
           PageNames& names)
      : program_(program), remarks_(remarks), names_(names) {}

  std::string of(const annotate::FunctionCode& code);
  std::string of(const annotate::ProfiledSource& source);

 private:
  using FunctionCode = annotate::FunctionCode;

  void add_places(const FunctionCode& code);
  void add_instructions(const FunctionCode& code);
  void add_probes(const FunctionCode& code);
  void add_branches(const FunctionCode& code);
  void add_end(u64 address, std::optional<u32> function, u64 count);
  void add_source(const FunctionCode& code);
  void add_inlined(const FunctionCode& code);
  // As an object, without its end.
  template <class Lines>
  void begin_lines(u32 file, const std::string& path, const Lines& lines);
  void add_remarks(const FunctionCode& code);
  const annotate::SourceText& source_of(const std::string& path);

  const program::Program* program_;
  const annotate::FunctionRemarks* remarks_;
  PageNames& names_;
  JsonText json_;
  std::map<std::string, annotate::SourceText> sources_;
};

}  // namespace pgokit::page
