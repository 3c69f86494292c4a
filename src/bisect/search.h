#pragma once

// Which of many things make it worse, by leaving out halves of them.
//
//   Search search{.count = 64, .most_tests = 12, .is_better_without = test};
//   auto found = TRY(search.run());            // found.culprits, each by its number
//
// Delta debugging whose every test is costly. If it is better without all of them, one is looked for
// by halves: where it is not better without the first half, the second is taken without a test,
// and the last one is confirmed. That is 2 + log2(count) tests for one culprit among things that do
// not matter. Where the rest does more good than a culprit does harm, leaving out all of them is not
// better: then halves, quarters and so on are left out, until one is, or no test is left.

#include <functional>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::bisect {

using Numbers = std::vector<size_t>;  // sorted

struct Found {
  std::vector<Numbers> culprits =
      {};  // mostly of one each: groups that are better left out together
  u64 tests = 0;
  Numbers unresolved = {};  // better left out together; no test was left to tell which of them
  bool exhausted = false;   // more tests could have found more
};

struct Search {
  size_t count = 0;
  u64 most_tests = 0;          // may become less while it runs
  bool all_are_known = false;  // it is better without all of them: that is not tested
  // Whether it is better without these, beside those that were found before.
  std::function<Result<bool>(const Numbers& left_out)> is_better_without;
  // They are left out from now on.
  std::function<Status(const Numbers& culprit)> on_found = [](const Numbers&) { return Status{}; };

  Result<Found> run();
};

}  // namespace pgokit::bisect
