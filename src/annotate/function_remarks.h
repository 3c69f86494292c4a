#pragma once

// The optimization remarks of a few functions, to be shown beside their source and code.
//
//   FunctionRemarks remarks({"main", "_Z3oddi"});
//   TRY(remarks.add(file.bytes()));                        // what -fsave-optimization-record made
//   for (const FunctionRemark& one : remarks.of("main"))
//     if (is_file(one.file, "/src/app.cc")) use(one.line, one.text);
//   for (const std::string& name : remarks.functions()) use(name);   // also of those not asked for
//
// Remarks that tell of no decision (sizes, counts of instructions, samples that were put on code)
// are passed over, and equal ones are counted. Of one function at most `most_remarks` are kept.

#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "remarks/remark.h"

namespace pgokit::annotate {

struct FunctionRemark {
  std::string file = {};  // as the compiler was given it; empty: the remark has no place
  u32 line = 0, column = 0;
  remarks::Kind kind{};
  std::string pass = {}, text = {};  // text: its sentence
  u64 times = 1;
};

class FunctionRemarks {
 public:
  static constexpr size_t most_remarks = 500;

  // Names are canonical.
  explicit FunctionRemarks(std::set<std::string, std::less<>> functions)
      : wanted_(std::move(functions)) {}

  Status add(Bytes file);

  // By line, then as they came.
  const std::vector<FunctionRemark>& of(std::string_view function) const;
  u64 left_out() const { return left_out_; }  // of these functions
  // Canonical names of all functions that the files have remarks of: they tell of which program.
  const std::unordered_set<std::string>& functions() const { return all_; }

 private:
  void add(const remarks::Remark& remark);

  std::set<std::string, std::less<>> wanted_;
  std::unordered_set<std::string> all_;
  std::map<std::string, std::vector<FunctionRemark>, std::less<>> by_function_;
  u64 left_out_ = 0;
};

// Whether a remark's file, which may be relative, is that of the debug information.
bool is_file(std::string_view of_remark, std::string_view path);

// "passed", "missed", "analysis" or "failed".
std::string_view word_of(remarks::Kind kind);

}  // namespace pgokit::annotate
