#include "bisect/sites.h"

#include <gmock/gmock.h>

#include <numeric>

#include "base/cursor.h"
#include "bisect/shortened_profile.h"
#include "test/support/context_profiles.h"
#include "test/support/shell.h"

namespace pgokit::bisect {
namespace {

using Kind = Site::Kind;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char text[] =
    "main:60:1\n"
    " 1: 10\n"
    " 2.1: 20 f:15 g:5\n"
    " 3: h:30\n"
    "  1: 30\n"
    "g:5:1\n"
    " 1: 5\n";

TEST(Sites, AreTargetsThenInlineesThenPlaces) {
  auto profile = test::profile_of(text);
  EXPECT_THAT(sites_of(profile, "main"),
              ElementsAre(Site{Kind::target, {2, 1}, "f", 15}, Site{Kind::target, {2, 1}, "g", 5},
                          Site{Kind::inlinee, {3, 0}, "h", 30}, Site{Kind::place, {2, 1}, "", 20},
                          Site{Kind::place, {1, 0}, "", 10}));
  EXPECT_THAT(sites_of(profile, "nobody"), IsEmpty());
  EXPECT_EQ(most_sites(profile), 5u);
}

TEST(Sites, OfAllContextsAreOne) {
  auto profile = test::profile_of("[main:1 @ f]:5:1\n 2: 5\n[main:2 @ f]:7:1\n 2: 7\n");
  EXPECT_THAT(sites_of(profile, "f"), ElementsAre(Site{Kind::place, {2, 0}, "", 12}));
}

class RemoveSites : public testing::TestWithParam<std::pair<Numbers, std::string>> {};

TEST_P(RemoveSites, LeavesTheOthers) {
  auto profile = test::profile_of(text);
  auto sites = sites_of(profile, "main");
  EXPECT_TRUE(remove_sites(profile, "main", sites, GetParam().first));
  EXPECT_EQ(test::text_of(profile), GetParam().second + "g:5:1\n 1: 5\n");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RemoveSites,
    testing::Values(std::pair(Numbers{0}, "main:60:1\n 1: 10\n 2.1: 20 g:5\n 3: h:30\n  1: 30\n"),
                    std::pair(Numbers{0, 1}, "main:60:1\n 1: 10\n 2.1: 20\n 3: h:30\n  1: 30\n"),
                    std::pair(Numbers{2}, "main:30:1\n 1: 10\n 2.1: 20 f:15 g:5\n"),
                    // Its targets go along.
                    std::pair(Numbers{3}, "main:40:1\n 1: 10\n 3: h:30\n  1: 30\n"),
                    std::pair(Numbers{},
                              "main:60:1\n 1: 10\n 2.1: 20 f:15 g:5\n 3: h:30\n  1: 30\n")));

TEST(RemoveSitesOfAll, LeavesNothing) {
  auto profile = test::profile_of(text);
  auto sites = sites_of(profile, "main");
  Numbers all(sites.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_FALSE(remove_sites(profile, "main", sites, all));
  EXPECT_EQ(test::text_of(profile), "g:5:1\n 1: 5\n");
}

TEST(ShortenedProfile, WithoutAllSitesIsThatWithoutTheFunction) {
  test::ScratchDir dir;
  dir.write("a.txt", text);
  auto path = [&](const char* name) { return fmt::format("{}/{}", dir.path(), name); };
  auto profile = ShortenedProfile::read(path("a.txt"));
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->name(0), "main");
  ASSERT_TRUE(profile->write_without({.functions = {0}}, path("b.txt")));
  ASSERT_TRUE(
      profile->write_without({.functions = {}, .sites = {{0, {0, 1, 2, 3, 4}}}}, path("c.txt")));
  auto first = MappedFile::open(path("b.txt")), second = MappedFile::open(path("c.txt"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(as_text(first->bytes()), as_text(second->bytes()));
}

}  // namespace
}  // namespace pgokit::bisect
