#include "bisect/search.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>

namespace pgokit::bisect {
namespace {

struct Halves {
  Numbers first, second;
};

Halves halves_of(const Numbers& numbers) {
  auto middle = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() + 1) / 2);
  return {Numbers(numbers.begin(), middle), Numbers(middle, numbers.end())};
}

class Session {
 public:
  explicit Session(Search& search) : search_(search), all_(search.count) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  Result<Found> run() {
    while (!all_.empty() && has_tests()) {
      auto culprit = TRY(find_one());
      if (culprit.empty()) break;
      TRY(search_.on_found(culprit));
      Numbers rest;
      std::ranges::set_difference(all_, culprit, std::back_inserter(rest));
      all_ = std::move(rest);
      found_.culprits.push_back(std::move(culprit));
    }
    found_.exhausted = !has_tests();
    return std::move(found_);
  }

 private:
  bool has_tests() const { return found_.tests < search_.most_tests; }
  Result<bool> test(const Numbers& left_out) {
    ++found_.tests;
    return search_.is_better_without(left_out);
  }

  Result<Numbers> find_one() {
    bool known = search_.all_are_known && found_.culprits.empty();
    if (known || TRY(test(all_))) return narrow(all_);
    if (!found_.culprits.empty()) return Numbers{};
    return find_hidden();
  }

  // Of numbers without which it is better: the fewest of them for which that has been seen.
  Result<Numbers> narrow(Numbers seen) {
    Numbers suspects = seen;
    bool sure = true;
    while (suspects.size() > 1 && has_tests()) {
      auto [first, second] = halves_of(suspects);
      sure = TRY(test(first));
      suspects = sure ? first : second;
      if (sure) seen = suspects;
    }
    if (!sure && has_tests() && TRY(test(suspects))) seen = suspects;
    return narrow_surely(std::move(seen));
  }

  // The same without taking anything for granted: a test may have been wrong, or it takes several of
  // them to be worse.
  Result<Numbers> narrow_surely(Numbers seen) {
    while (seen.size() > 1) {
      auto [first, second] = halves_of(seen);
      if (has_tests() && TRY(test(first)))
        seen = std::move(first);
      else if (has_tests() && TRY(test(second)))
        seen = std::move(second);
      else if (has_tests())
        return seen;
      else
        return found_.unresolved = std::move(seen), Numbers{};
    }
    return seen;
  }

  Result<Numbers> find_hidden() {
    std::deque<Numbers> parts{all_};
    while (!parts.empty()) {
      auto part = std::move(parts.front());
      parts.pop_front();
      if (part.size() < 2) continue;
      auto [first, second] = halves_of(part);
      for (auto* half : {&first, &second}) {
        if (!has_tests()) return Numbers{};
        if (TRY(test(*half))) return narrow(std::move(*half));
      }
      parts.push_back(std::move(first)), parts.push_back(std::move(second));
    }
    return Numbers{};
  }

  Search& search_;
  Numbers all_;  // that were not found
  Found found_;
};

}  // namespace

Result<Found> Search::run() { return Session(*this).run(); }

}  // namespace pgokit::bisect
