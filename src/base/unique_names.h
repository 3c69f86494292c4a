#pragma once

// The names of static functions under -funique-internal-linkage-names: `name.__uniq.N`, N being the
// MD5 of the source file's path as the compiler was given it. In a checkout elsewhere, or where a
// build gives absolute paths in place of relative ones, all of them are other names.
//
//   SourcePaths paths(old_names, new_names);
//   if (auto now = paths.find("helper.__uniq.123")) use(new_names[*now]);
//
// Source of truth: clang/lib/CodeGen/CodeGenModule.cpp, and what clang 14 to 22 write.

#include <tsl/robin_map.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit {

struct UniqueName {
  std::string_view name, path, rest;  // of "f.__uniq.12.cold": "f", "12", ".cold"
};
std::optional<UniqueName> split_unique_name(std::string_view name);

// The N of a path.
std::string path_number(std::string_view path);

// Which source file is which, by the functions that both have: functions of the same name in
// several files are told apart by the other functions of those files. A path that both builds have
// stays what it is.
class SourcePaths {
 public:
  // What speaks for two functions of the same name being one, beside the name; by numbers of names.
  using Likeness = std::function<u64(u32 old_name, u32 new_name)>;

  // The names must outlive this.
  SourcePaths(std::span<const std::string_view> old_names,
              std::span<const std::string_view> new_names, const Likeness& likeness = {});

  // The number of the name that a function of the old build has in the new one, if its file has
  // another path there.
  std::optional<u32> find(std::string_view old_name) const;

 private:
  struct Candidate {
    u64 votes;
    std::string_view from, to;
  };
  std::vector<Candidate> vote(std::span<const std::string_view> old_names,
                              std::span<const std::string_view> new_names,
                              const Likeness& likeness) const;
  void decide(const std::vector<Candidate>& candidates);

  tsl::robin_map<std::string, u32> numbers_;                // of new names without "__uniq."
  tsl::robin_map<std::string_view, std::string_view> now_;  // of each path of the old build
};

}  // namespace pgokit
