#pragma once

// Functions of a profile that have another name in the program.

#include <vector>

#include "analysis/old_functions.h"
#include "analysis/place_map.h"
#include "base/unique_names.h"

namespace pgokit::analysis {

// What the names of a profile are in a program. Those of static functions are looked for in files
// of another path at once, what else was renamed when asked.
class NameMatch {
 public:
  NameMatch(const profile::Profile& profile, const ProgramShape& shape,
            const std::vector<OldFunction>& functions);

  // Static functions have another name where their file has another path: a compiler does not find
  // them, though they are there.
  bool is_from_other_path(NameId old) const { return other_path_[static_cast<size_t>(old)]; }
  // Of a name that may not be in the profile's table: the same function's name in the program.
  std::string_view name_now(std::string_view old) const;

  // Finds renamed functions until there are no more. Evidence: where their callers call them, the
  // same checksum, the same name with other parameters; and whom they call must agree with it.
  void find_renamed();

  // Of ProgramShape::names; false if the program has no such function.
  bool has(NameId old) const { return to_[static_cast<size_t>(old)] != gone; }
  NameId at(NameId old) const { return NameId{to_[static_cast<size_t>(old)]}; }
  // By find_renamed().
  bool is_renamed(NameId old) const { return renamed_[static_cast<size_t>(old)]; }

  // The call sites of a function with callees by their names in the program; those of callees that
  // are gone are of no name there.
  std::vector<Anchor> anchors_of(NameId old) const;

 private:
  static constexpr u32 gone = ~u32{0};
  struct Pair {
    u32 old_name, new_name;
    auto operator<=>(const Pair&) const = default;
  };

  bool is_new(NameId name) const {
    auto at = static_cast<size_t>(name);
    return shape_.functions[at].known && !shape_.functions[at].folded_into && !taken_[at];
  }
  void find_by_path();
  u64 likeness(NameId old, NameId now) const;
  void vote_by_callers(std::vector<Pair>& votes) const;
  void vote_in_gap(std::span<const Anchor> old_anchors, std::span<const Anchor> new_anchors,
                   std::vector<Pair>& votes) const;
  void vote_by_checksum(std::vector<Pair>& votes) const;
  void vote_by_base_name(std::vector<Pair>& votes) const;
  bool agrees(const Pair& pair, size_t votes) const;
  bool accept(std::vector<Pair> votes);

  const profile::Profile& profile_;
  const ProgramShape& shape_;
  const std::vector<OldFunction>& functions_;
  std::vector<u32> to_;  // by NameId of the profile
  std::vector<bool> renamed_, other_path_;
  std::vector<bool> taken_;                  // by NameId of the program
  std::vector<std::string_view> new_names_;  // of the program, those that it has no function of too
  std::optional<SourcePaths> paths_;
};

// Of an Itanium linkage name: the nested name without parameters and template arguments, as
// "space::function"; other names are their own.
std::string base_name(std::string_view linkage_name);

}  // namespace pgokit::analysis
