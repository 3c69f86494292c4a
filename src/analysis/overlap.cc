#include "analysis/overlap.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/share.h"

namespace pgokit::analysis {
namespace {

using profile::Columns;

// What sums that went up and down by shares may be off.
constexpr double rounding = 0.000005;

// The names of two profiles in one numbering, which keeps their order.
struct CommonNames {
  std::vector<u32> of_base, of_test;

  CommonNames(const Columns& base, const Columns& test) {
    u32 next = 0;
    size_t b = 0, t = 0;
    while (b < base.names.size() || t < test.names.size()) {
      bool take_base =
          t == test.names.size() || (b < base.names.size() && base.names[b] <= test.names[t]);
      bool take_test =
          b == base.names.size() || (t < test.names.size() && test.names[t] <= base.names[b]);
      if (take_base) of_base.push_back(next), ++b;
      if (take_test) of_test.push_back(next), ++t;
      ++next;
    }
  }
};

struct Stats {
  u64 samples = 0, max = 0, hot_places = 0;
};

Stats stats_within(const Columns::Part& part, u32 node, u64 hot) {
  Stats stats;
  for (const auto& place : part.places_within(node)) {
    stats.samples += place.samples;
    stats.max = std::max(stats.max, place.samples);
    stats.hot_places += place.samples >= hot;
  }
  return stats;
}

// Compares the counts of one function of both profiles.
class Comparison {
 public:
  struct Side {
    const Columns* columns;
    std::span<const u32> names;
    u64 hot;
  };

  Comparison(const Side& base, const Side& test, FunctionOverlap& result, HotOverlap& hot)
      : base_(base), test_(test), result_(result), hot_(hot) {}

  double similarity(const Columns::Top& base, const Columns::Top& test) {
    base_part_ = &base_.columns->part(base), test_part_ = &test_.columns->part(test);
    double similarity = (2.0 - difference(base.node, test.node)) / 2;
    return std::fabs(similarity) < rounding ? 0 : similarity;
  }

  void count_hot(u64 base, u64 test, u64 places) {
    bool base_hot = base >= base_.hot, test_hot = test >= test_.hot;
    if (!base_hot && !test_hot) return;
    hot_.either += places;
    if (base_hot) hot_.base += places;
    if (test_hot) hot_.test += places;
    if (base_hot && test_hot) hot_.both += places;
  }

 private:
  double difference(u32 base, u32 test) {
    return difference_of_inlinees(base, test, difference_of_bodies(base, test));
  }

  double difference_of_bodies(u32 base, u32 test) {
    double sum = 0;
    auto left = base_part_->places_of(base), right = test_part_->places_of(test);
    auto b = left.begin(), t = right.begin();
    while (b != left.end() || t != right.end()) {
      if (t == right.end() || (b != left.end() && b->location < t->location))
        sum += only_base(b->samples, 1), ++b;
      else if (b == left.end() || t->location < b->location)
        sum += only_test(t->samples, 1), ++t;
      else
        sum += both(b->samples, t->samples), ++b, ++t;
    }
    return sum;
  }

  // Call sites ascend, and at one site the names.
  double difference_of_inlinees(u32 base, u32 test, double sum) {
    u32 base_end = base_part_->nodes[base].end, test_end = test_part_->nodes[test].end;
    u32 b = base + 1, t = test + 1;
    while (b < base_end || t < test_end) {
      auto order = b == base_end ? std::strong_ordering::greater
                   : t == test_end
                       ? std::strong_ordering::less
                       : key(*base_part_, base_.names, b) <=> key(*test_part_, test_.names, t);
      if (order == 0) {
        sum += 2.0 - 2 * ((2.0 - difference(b, t)) / 2);
      } else if (order < 0) {
        auto stats = stats_within(*base_part_, b, base_.hot);
        sum += only_base(stats.samples, stats.hot_places);
      } else {
        auto stats = stats_within(*test_part_, t, test_.hot);
        sum += only_test(stats.samples, stats.hot_places);
      }
      if (order <= 0) b = base_part_->nodes[b].end;
      if (order >= 0) t = test_part_->nodes[t].end;
    }
    return sum;
  }

  static std::pair<profile::LineLocation, u32> key(const Columns::Part& part,
                                                   std::span<const u32> names, u32 node) {
    const auto& inlinee = part.nodes[node];
    return {inlinee.call_site, names[inlinee.name]};
  }

  double both(u64 base, u64 test) { return take(base, test, 1); }
  double only_base(u64 samples, u64 places) {
    result_.base_unique += samples;
    return take(samples, 0, places);
  }
  double only_test(u64 samples, u64 places) {
    result_.test_unique += samples;
    return take(0, samples, places);
  }

  double take(u64 base, u64 test, u64 places) {
    result_.united += std::max(base, test);
    result_.overlap += std::min(base, test);
    count_hot(base, test, places);
    double of_base = share(base, result_.base_samples), of_test = share(test, result_.test_samples);
    result_.common += std::min(of_base * result_.base_weight, of_test * result_.test_weight);
    double alike = 1.0 - std::fabs(of_base - of_test);
    return 1.0 - alike;
  }

  const Side& base_;
  const Side& test_;
  const Columns::Part* base_part_ = nullptr;
  const Columns::Part* test_part_ = nullptr;
  FunctionOverlap& result_;
  HotOverlap& hot_;
};

class Computation {
 public:
  Computation(const Columns& base, const Columns& test, const HotRule& hot, unsigned threads)
      : names_(base, test),
        base_{&base, names_.of_base, hot_threshold(base.summary, hot).value_or(0)},
        test_{&test, names_.of_test, hot_threshold(test.summary, hot).value_or(0)},
        threads_(threads) {
    result_.base_functions = base.functions.size();
    result_.test_functions = test.functions.size();
  }

  Overlap compute() && {
    match_functions();
    take_stats();
    compare_functions();
    add_up();
    return std::move(result_);
  }

 private:
  static constexpr size_t piece = 512;

  std::strong_ordering compare_contexts(u32 base, u32 test) const {
    const auto &b = base_.columns->functions[base], &t = test_.columns->functions[test];
    if (b.frames == 0 || t.frames == 0)
      return names_.of_base[base_.columns->node(b).name] <=>
             names_.of_test[test_.columns->node(t).name];
    auto left = base_.columns->context(b), right = test_.columns->context(t);
    return std::lexicographical_compare_three_way(
        left.begin(), left.end(), right.begin(), right.end(), [&](const auto& x, const auto& y) {
          auto by_name = names_.of_base[x.function] <=> names_.of_test[y.function];
          return by_name != 0 ? by_name : x.location <=> y.location;
        });
  }

  void match_functions() {
    std::vector<u32> base, test;
    parallel_for(2, threads_, [&](size_t side, unsigned) {
      side == 0 ? (base = base_.columns->by_context()) : (test = test_.columns->by_context());
    });
    for (size_t b = 0, t = 0; b < base.size() || t < test.size();) {
      auto order = b == base.size()   ? std::strong_ordering::greater
                   : t == test.size() ? std::strong_ordering::less
                                      : compare_contexts(base[b], test[t]);
      auto& function = result_.functions.emplace_back();
      if (order <= 0) function.base = base[b++];
      if (order >= 0) function.test = test[t++];
    }
  }

  template <class Visit>
  void for_pieces(Visit visit) {
    auto& functions = result_.functions;
    parallel_each(functions.size(), piece, threads_,
                  [&](size_t i, unsigned) { visit(functions[i], i / piece); });
  }

  void take_stats() {
    hot_of_.resize(result_.functions.size());
    for_pieces([&](FunctionOverlap& function, size_t) {
      HotPlaces& hot = hot_of_[static_cast<size_t>(&function - result_.functions.data())];
      if (function.base != FunctionOverlap::absent) {
        const auto& top = base_.columns->functions[function.base];
        auto stats = stats_within(base_.columns->part(top), top.node, base_.hot);
        function.base_samples = stats.samples, function.base_max = stats.max;
        hot.base = stats.hot_places;
      }
      if (function.test != FunctionOverlap::absent) {
        const auto& top = test_.columns->functions[function.test];
        auto stats = stats_within(test_.columns->part(top), top.node, test_.hot);
        function.test_samples = stats.samples, function.test_max = stats.max;
        hot.test = stats.hot_places;
      }
    });
    for (const auto& function : result_.functions) {
      result_.base_samples += function.base_samples;
      result_.test_samples += function.test_samples;
    }
  }

  void compare_functions() {
    std::vector<HotOverlap> hot(Chunks{result_.functions.size(), piece}.count());
    for_pieces([&](FunctionOverlap& function, size_t number) {
      function.base_weight = share(function.base_samples, result_.base_samples);
      function.test_weight = share(function.test_samples, result_.test_samples);
      Comparison comparison(base_, test_, function, hot[number]);
      const HotPlaces& places = hot_of_[static_cast<size_t>(&function - result_.functions.data())];
      if (function.matched()) {
        double inside = comparison.similarity(base_.columns->functions[function.base],
                                              test_.columns->functions[function.test]);
        function.similarity = inside * (1 - std::fabs(function.base_weight - function.test_weight));
      } else if (function.base != FunctionOverlap::absent) {
        function.base_unique = function.united = function.base_samples;
        comparison.count_hot(function.base_samples, 0, places.base);
      } else {
        function.test_unique = function.united = function.test_samples;
        comparison.count_hot(0, function.test_samples, places.test);
      }
    });
    for (const auto& part : hot) {
      result_.hot_places.base += part.base;
      result_.hot_places.test += part.test;
      result_.hot_places.both += part.both;
      result_.hot_places.either += part.either;
    }
  }

  void add_up() {
    for (const auto& function : result_.functions) {
      result_.matched_functions += function.matched();
      result_.overlap += function.overlap;
      result_.united += function.united;
      result_.common += function.common;
      result_.base_unique += function.base_unique;
      result_.test_unique += function.test_unique;
      result_.similarity +=
          function.similarity * (function.base_weight / 2.0 + function.test_weight / 2.0);
      bool base_hot = function.base != FunctionOverlap::absent && function.base_max >= base_.hot;
      bool test_hot = function.test != FunctionOverlap::absent && function.test_max >= test_.hot;
      result_.hot_functions.base += base_hot;
      result_.hot_functions.test += test_hot;
      result_.hot_functions.both += base_hot && test_hot;
      result_.hot_functions.either += base_hot || test_hot;
    }
    if (std::fabs(result_.similarity - 1) < rounding) result_.similarity = 1;
  }

  struct HotPlaces {
    u64 base = 0, test = 0;
  };

  CommonNames names_;
  Comparison::Side base_, test_;
  unsigned threads_;
  Overlap result_;
  std::vector<HotPlaces> hot_of_;
};

}  // namespace

double Overlap::sample_share() const { return share(overlap, united); }

std::optional<u64> hot_threshold(const profile::Summary& summary, const HotRule& rule) {
  if (rule.count) return rule.count;
  for (const auto& entry : summary.entries)
    if (entry.cutoff >= rule.cutoff) return entry.min_count;
  return std::nullopt;
}

Status comparable(const Columns& base, const Columns& test) {
  if (base.flags.probe_based != test.flags.probe_based)
    return fail("cannot compare probe-based profile with non-probe-based profile");
  if (base.flags.context_sensitive != test.flags.context_sensitive)
    return fail("cannot compare CS profile with non-CS profile");
  return {};
}

Overlap compute_overlap(const Columns& base, const Columns& test, const HotRule& hot,
                        unsigned threads) {
  return Computation(base, test, hot, threads).compute();
}

}  // namespace pgokit::analysis
