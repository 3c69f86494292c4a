#include <gtest/gtest.h>

#include <random>

#include "test/support/context_profiles.h"
#include "test/support/context_samples.h"
#include "transform/preinline/preinliner.h"

namespace pgokit::transform {
namespace {

using profile::LineLocation;

std::string by_columns(std::string_view text, const PreinlineOptions& options,
                       const InlineSizes* sizes, unsigned threads) {
  auto profile = preinline(test::samples_of(test::profile_of(text)), sizes, options, threads);
  EXPECT_TRUE(profile.flags.pre_inlined);
  return test::text_of(profile);
}

std::string by_objects(std::string_view text, const PreinlineOptions& options,
                       const InlineSizes* sizes) {
  auto profile = test::profile_of(text);
  preinline(profile, sizes, options);
  return test::text_of(profile);
}

// Contexts of few functions, so that they meet at the same places; of callers with and without
// samples, called and inlined, in cycles too.
class RandomContexts {
 public:
  explicit RandomContexts(unsigned seed) : random_(seed) {}

  std::string text() {
    profile::Profile profile;
    profile.flags.context_sensitive = true;
    functions_ = 2 + below(12);
    bool cycles = below(2);
    for (unsigned i = 5 + below(below(4) ? 40 : 200); i > 0; --i) add_context(profile, cycles);
    return test::text_of(profile);
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  NameId function(profile::Profile& profile, unsigned number) {
    return profile.names.intern(std::string("f") + std::to_string(number));
  }
  void add_context(profile::Profile& profile, bool cycles) {
    auto context = profile::ContextId::none;
    unsigned last = 0;
    LineLocation site;
    for (unsigned depth = 1 + below(7); depth > 0; --depth) {
      unsigned first = cycles ? 0 : last;
      if (first >= functions_) break;
      unsigned number = first + below(functions_ - first);
      context = profile.contexts.child(context, site, function(profile, number));
      site = {1 + below(2), 0};
      last = number + 1;
    }
    auto& samples = profile.function(context);
    if (below(3)) samples.head = below(9);
    if (below(2)) samples.attributes = profile::was_inlined;
    for (unsigned places = below(4); places > 0; --places)
      samples.add_body({1 + below(3), 0}, below(20)), samples.add_total(below(20));
    for (unsigned targets = below(3); targets > 0; --targets)
      samples.add_target({1 + below(2), 0}, function(profile, below(functions_)), below(30));
  }

  std::mt19937 random_;
  unsigned functions_ = 0;
};

TEST(ColumnPreinliner, DecidesAsThatOfProfiles) {
  InlineSizes sizes;
  for (unsigned seed = 0; seed < 500; ++seed) {
    auto text = RandomContexts(seed).text();
    PreinlineOptions options{.hot_threshold = seed % 5,
                             .cold_threshold = seed % 3,
                             .inlined_multiplier = 3,
                             .growth_limit = 3,
                             .limit_min = 2,
                             .cold_count = seed % 4,
                             .upper_count = 20};
    const auto* used = seed % 2 ? &sizes : nullptr;
    ASSERT_EQ(by_columns(text, options, used, 1 + seed % 3), by_objects(text, options, used))
        << "seed " << seed << "\n"
        << text;
  }
}

TEST(ColumnPreinliner, NothingInNothingOut) { EXPECT_EQ(by_columns("", {}, nullptr, 1), ""); }

}  // namespace
}  // namespace pgokit::transform
