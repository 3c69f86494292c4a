#include "transform/supplement.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "profile/format.h"

namespace pgokit::transform {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Case {
  instr_profile::Profile counted;
  profile::ReadProfile samples;
  profile::Summary summary;

  void function(std::string_view name, std::vector<u64> counters, u64 hash = 1) {
    u32 at = counted.find_or_add(counted.names.intern(name), hash, counters.size()).index;
    std::ranges::copy(counters, counted.counters_of(at).begin());
  }
  void sample(std::string_view text) {
    samples = *profile::read_profile(as_bytes(text));
    summary = profile::summarize(samples.profile);
  }
  std::vector<std::string> supplement() {
    return transform::supplement(counted, {samples.profile, summary}, {.least_counters = 2});
  }
  u64 count(u32 function, size_t counter = 0) { return counted.counters_of(function)[counter]; }
};

TEST(Supplement, RaisesWhatIsHotInSamplesOnly) {
  Case c;
  c.function("hot", {1000000, 900000});
  c.function("missed", {1, 1});
  c.function("empty", {0, 0, 0});
  c.function("small", {1});
  c.sample(
      "missed:50000:50000\n 1: 50000\nempty:50000:50000\n 1: 50000\nsmall:50000:1\n 1: 50000\n");
  EXPECT_THAT(c.supplement(), IsEmpty());
  EXPECT_EQ(c.count(0), 1000000);
  EXPECT_GT(c.count(1), 900000);
  EXPECT_EQ(c.count(1), c.count(1, 1));
  EXPECT_EQ(c.count(2), ~u64{0});  // marked
  EXPECT_EQ(c.count(3), 1);
}

TEST(Supplement, SamplesOfInlineesCountForTheirCaller) {
  Case c;
  c.function("hot", {1000000, 900000});
  c.function("caller", {1, 1});
  c.sample("caller:50000:1\n 1: 1\n 2: inlined:50000\n  1: 50000\n");
  c.supplement();
  EXPECT_GT(c.count(1), 900000);
}

TEST(Supplement, StaticFunctionsAreFoundWithoutTheirFile) {
  Case c;
  c.function("hot", {1000000, 900000});
  c.function("a.c;one", {1, 1});
  c.function("a.c;two", {1, 1});
  c.function("b.c;two", {1, 1});
  c.function("twice", {1, 1}, 1);
  c.function("twice", {1, 1}, 2);
  c.sample("one:50000:1\n 1: 50000\ntwo:50000:1\n 1: 50000\ntwice:50000:1\n 1: 50000\n");
  EXPECT_THAT(c.supplement(), ElementsAre("two"));
  EXPECT_GT(c.count(1), 900000);
  for (u32 function : {2, 3, 4, 5}) EXPECT_EQ(c.count(function), 1);
}

}  // namespace
}  // namespace pgokit::transform
