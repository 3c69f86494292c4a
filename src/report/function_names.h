#pragma once

// Functions as people read them: demangled, without what LLVM appends to keep names apart
// (".__uniq.17", ".llvm.17"). Functions of one output that would look alike then also show their
// file, or what was left out where no file is known.
//
//   FunctionNames names(mangled);                          // true: all as they are in the file
//   names.add("_ZL3addii.__uniq.17");                      // all that are shown, first
//   names.add("_ZL3addii.__uniq.18");
//   names.add("_Z3subii", "a.cc");
//   names.of("_Z3subii", "a.cc");                          // sub(int, int)
//   names.of("_ZL3addii.__uniq.17");                       // add(int, int).__uniq.17
//   name_column(functions, &ListedFunction::name, mangled);  // of all of a table
//
// For what is printed only: files of every kind keep names as they are, and so does JSON.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/demangle.h"
#include "base/flat_map.h"
#include "base/names.h"

namespace pgokit::report {

class FunctionNames {
 public:
  explicit FunctionNames(bool mangled = false, ReturnType how = ReturnType::shown)
      : mangled_(mangled), how_(how) {}

  void add(std::string_view name, std::string_view file = {});
  std::string of(std::string_view name, std::string_view file = {}) const;
  // Whether one that was added is of Swift, which stays mangled: only Swift's own compiler brings
  // what reads such names.
  bool has_swift() const { return has_swift_; }

  // Of calling contexts as profiles write them: "main:3 @ _Z1fv:2.1 @ _Z1gv".
  void add_context(std::string_view context);
  std::string of_context(std::string_view context) const;

 private:
  static constexpr u32 unknown = ~u32{0};

  u32 shown_of(NameId name) const;

  bool mangled_, has_swift_ = false;
  ReturnType how_;
  Names texts_;               // names, files, suffixes, and what is shown
  std::vector<u32> shown_;    // by name: what it is without what LLVM appends
  std::vector<u32> alike_;    // by what is shown: functions
  FlatMap<u32> functions_;    // by name and file: one
  FlatMap<u32> with_file_;    // by what is shown and file: functions
  FlatMap<u32> with_suffix_;  // by what is shown and what was left out: functions
};

// One that stands alone, as in a message.
std::string function_name(std::string_view name, bool mangled = false,
                          ReturnType how = ReturnType::shown);

// Whether this is a part of the name, as files have it or as people read it.
bool has_in_name(std::string_view name, std::string_view text);

// Of a longer name the front and the end, of at most so many bytes: names of templates differ there
// more than in the middle.
std::string shortened(std::string_view name, size_t most);

// Those that are too long for a column, unless they would look alike then.
void shorten_where_different(std::vector<std::string>& names);

// What stands in a column of a table for each of `functions`, whose name the member is: without
// return types, and shortened where they still differ. Of mangled ones somebody will want the whole.
template <class Functions, class Name>
std::vector<std::string> name_column(const Functions& functions, Name name, bool mangled) {
  FunctionNames names(mangled, ReturnType::left_out);
  for (const auto& one : functions) names.add(std::invoke(name, one));
  std::vector<std::string> column;
  for (const auto& one : functions) column.push_back(names.of(std::invoke(name, one)));
  if (!mangled) shorten_where_different(column);
  return column;
}

}  // namespace pgokit::report
