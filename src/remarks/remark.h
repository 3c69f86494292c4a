#pragma once

// An optimization remark: what one pass of LLVM tells about one place of the code that it compiled.
//
//   for (const Argument& argument : remark.arguments) text += argument.value;   // its sentence
//   if (remark.pass == "inline" && remark.kind == Kind::passed) use(remark.argument("Callee"));
//
// Views are valid while the visitor that is given the remark runs.

#include <optional>
#include <span>
#include <string_view>

#include "base/types.h"

namespace pgokit::remarks {

// As bitstreams number them (llvm/Remarks/Remark.h).
enum class Kind : u8 {
  unknown,
  passed,  // a transformation was made
  missed,  // ... or not
  analysis,
  analysis_fp_commute,
  analysis_aliasing,
  failure
};
constexpr u64 kinds = 7;

// "Passed", as YAML tags have it.
std::string_view name_of(Kind kind);

struct SourceLocation {
  std::string_view file;
  u32 line = 0, column = 0;
  bool operator==(const SourceLocation&) const = default;
};

struct Argument {
  std::string_view key;  // "String" for the words between values
  std::string_view value;
  std::optional<SourceLocation> at;
  bool operator==(const Argument&) const = default;
};

struct Remark {
  Kind kind = Kind::unknown;
  std::string_view pass, name, function;  // the function by its linkage name
  std::optional<SourceLocation> at;
  std::optional<u64> hotness;  // how often the place runs, by the profile that was used
  std::span<const Argument> arguments;

  // Of the first one with that key; empty where there is none.
  std::string_view argument(std::string_view key) const {
    for (const Argument& one : arguments)
      if (one.key == key) return one.value;
    return {};
  }
};

// Arguments of one remark. LLVM writes a few dozens; files with more are refused.
constexpr size_t most_arguments = 8192;

}  // namespace pgokit::remarks
