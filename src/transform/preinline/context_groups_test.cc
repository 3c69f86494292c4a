#include "transform/preinline/context_groups.h"

#include <gmock/gmock.h>

#include "test/support/context_profiles.h"
#include "test/support/context_samples.h"

namespace pgokit::transform {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ContextGroupsTest : public testing::Test {
 protected:
  void read(std::string_view text) {
    samples_.emplace(test::samples_of(test::profile_of(text)));
    index_.emplace(*samples_);
    index_->list_functions();
    index_->rank_all();
    groups_.emplace(*samples_, *index_);
  }
  NameId id(std::string_view name) { return samples_->names.intern(name); }
  std::vector<std::string> callees(const std::vector<ContextGroups::Callee>& callees) const {
    std::vector<std::string> texts;
    for (const auto& callee : callees)
      texts.push_back(fmt::format("{}:{} {} members, {} calls",
                                  samples_->calls[callee.call].site.line_offset,
                                  samples_->names.text(samples_->calls[callee.call].callee),
                                  callee.members.size(), callee.calls));
    return texts;
  }
  u64 total(ContextGroups::Members members) const {
    u64 sum = 0;
    for (u32 member : members) sum += samples_->counts.get(samples_->contexts[member].total);
    return sum;
  }

  std::optional<generate::ContextSamples> samples_;
  std::optional<ContextIndex> index_;
  std::optional<ContextGroups> groups_;
};

TEST_F(ContextGroupsTest, AFunctionHasAllItsContexts) {
  read(
      "[main]:10:1\n 1: 10\n"
      "[main:1 @ f]:20:2\n 1: 20\n"
      "[main:2 @ f]:5:1\n 1: 5\n"
      "[f]:3:1\n 1: 3\n");
  auto own = groups_->take(id("f"));
  EXPECT_EQ(own.size(), 3u);
  EXPECT_EQ(total(own), 28u);
}

TEST_F(ContextGroupsTest, CalleesAreToldByCallSiteAndName) {
  read(
      "[main]:10:1\n 1: 10\n"
      "[main:1 @ f]:20:2\n 1: 20\n"
      "[main:1 @ g]:7:3\n 1: 7\n"
      "[main:2 @ f]:5:1\n 1: 5\n");
  auto found = groups_->split(groups_->take(id("main")));
  EXPECT_THAT(callees(found),
              UnorderedElementsAre("1:f 1 members, 2 calls", "1:g 1 members, 3 calls",
                                   "2:f 1 members, 1 calls"));
}

TEST_F(ContextGroupsTest, ContextsThatMeetAreOneGroup) {
  read(
      "[main:1 @ f]:20:2\n 1: 20\n"
      "[main:2 @ f]:5:1\n 1: 5\n"
      "[main:1 @ f:3 @ g]:6:4\n 1: 6\n"
      "[main:2 @ f:3 @ g]:8:5\n 1: 8\n");
  auto found = groups_->split(groups_->take(id("f")));
  ASSERT_THAT(callees(found), ElementsAre("3:g 2 members, 9 calls"));
  EXPECT_EQ(total(found[0].members), 14u);
}

TEST_F(ContextGroupsTest, WhatIsInlinedIsNotTakenAgain) {
  read(
      "[main]:10:1\n 1: 10\n"
      "[main:1 @ f]:20:2\n 1: 20\n"
      "[f]:3:1\n 1: 3\n");
  auto found = groups_->split(groups_->take(id("main")));
  ASSERT_EQ(found.size(), 1u);
  groups_->inline_now(found[0]);
  EXPECT_EQ(total(groups_->take(id("f"))), 3u);
}

TEST_F(ContextGroupsTest, CallsOfTheCallersCountWhereTheyAreMore) {
  read(
      "[main]:10:1\n 1: 10 f:9\n"
      "[main:1 @ f]:20:2\n 1: 20\n");
  EXPECT_THAT(callees(groups_->split(groups_->take(id("main")))),
              ElementsAre("1:f 1 members, 9 calls"));
}

TEST_F(ContextGroupsTest, WhatWasNeverTakenIsLeftOnTop) {
  read("[main]:10:1\n 1: 10\n[f]:3:1\n 1: 3\n");
  EXPECT_EQ(total(groups_->left_on_top(id("f"))), 3u);
  EXPECT_THAT(groups_->left_on_top(id("f")), IsEmpty());
  groups_->take(id("main"));
  EXPECT_THAT(groups_->left_on_top(id("main")), IsEmpty());
}

}  // namespace
}  // namespace pgokit::transform
