#pragma once

// Adds up raw profiles (raw_profile.h), flat or with contexts, by what stands in them: no program
// is needed.
//
//   RawSum sum;
//   TRY(sum.add(text, 1));
//   sum.write([&](std::string_view part) { out.write(part); });

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::samples {

class RawSum {
 public:
  // All of it or, where it is broken, nothing. Counts stop at their largest value. Fails also where
  // one has contexts and the other has none.
  Status add(std::string_view text, u64 weight);
  // Contexts by their text; addresses ascending, those of negative offsets first.
  void write(const std::function<void(std::string_view part)>& write) const;
  bool empty() const { return contexts_.empty(); }

  // How many different ones there are, and the sums of their counts.
  struct Totals {
    u64 ranges = 0, ran = 0;
    u64 branches = 0, taken = 0;
    u64 contexts = 0;
  };
  Totals totals() const;

 private:
  using Pairs = std::map<std::pair<i64, i64>, u64>;
  struct Block {
    Pairs ranges, branches;
  };
  using Contexts = std::map<std::string, Block, std::less<>>;

  // The context of a flat profile is "", any other has its brackets.
  static Result<Contexts> read(std::string_view text, u64 weight);

  Contexts contexts_;
};

}  // namespace pgokit::samples
