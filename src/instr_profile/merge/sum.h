#pragma once

// Adds functions of instrumentation profiles up.
//
//   Sum sum(Rules::llvm);
//   if (sum.takes(facts.kind)) sum.add(record, weight, [&](Mismatch what) { warn(what); });
//   write_text(sum.profile(), false, take);
//
// Functions are the same by name and hash of their control flow. Counts stop at the largest one, and
// bitmaps are united.

#include <functional>
#include <set>

#include "instr_profile/model/profile.h"

namespace pgokit::instr_profile {

// llvm: as llvm-profdata, where the order of inputs shows. Values that are new at a site are not
// multiplied by the weight, and of functions that differ the first one is kept.
// commutative: the order of inputs does not matter. Of functions that differ the one with more
// counters is kept (then with more bitmap bytes, then with more sites).
enum class Rules { llvm, commutative };

// Why something of a function was not added up, or not wholly.
enum class Mismatch { counters, bitmap, sites, overflow };

using TakeMismatch = std::function<void(Mismatch)>;

class Sum {
 public:
  explicit Sum(Rules rules) : rules_(rules) {}

  // Whether profiles of that kind go together with what was added before; from then on they do.
  bool takes(u64 kind);
  // The number of the function. Mismatches are handed over, perhaps several.
  u32 add(const Record& record, u64 weight, const TakeMismatch& mismatch);
  // The same of parts, of a function that is there and has the same numbers of counters and so on.
  void add_counters(u32 function, const u64* counts, u64 weight, const TakeMismatch& mismatch);
  void add_values(u32 function, const SiteValues& values, u64 weight, const TakeMismatch& mismatch);
  void add_binary_ids(std::span<const std::string_view> ids);

  Profile& profile() { return profile_; }
  Rules rules() const { return rules_; }

 private:
  void copy(u32 function, const Record& record, u64 weight, const TakeMismatch& mismatch);
  bool replaces(u32 function, const Record& record) const;
  void replace(u32 function, const Record& record);

  Rules rules_;
  Profile profile_;
  std::set<std::string, std::less<>> binary_ids_;
};

}  // namespace pgokit::instr_profile
