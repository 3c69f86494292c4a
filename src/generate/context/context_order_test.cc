#include "generate/context/context_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace pgokit::generate {
namespace {

using profile::ContextId;
using testing::ElementsAre;

constexpr u8 sampled = ContextSamples::has_samples;

class ContextOrderTest : public testing::Test {
 protected:
  u32 add(u32 parent, std::string_view name, u32 line, u8 flags = sampled) {
    nodes_.push_back({ContextId{parent}, {line, 0}, samples_.names.intern(name)});
    flags_.push_back(flags);
    return static_cast<u32>(nodes_.size() - 1);
  }
  void order(unsigned threads = 2) { numbers_ = order_contexts(nodes_, flags_, threads, samples_); }
  std::string text(u32 context) const {
    return fmt::format("{}:{}", samples_.names.text(samples_.function(context)),
                       samples_.site(context).line_offset);
  }

  ContextSamples samples_;
  std::vector<profile::Contexts::Node> nodes_ = std::vector<profile::Contexts::Node>(1);
  std::vector<u8> flags_ = std::vector<u8>(1);
  std::vector<u32> numbers_;
};

TEST_F(ContextOrderTest, KeepsWhatIsAtACallAndWhereItHangs) {
  u32 main = add(0, "main", 0), f = add(main, "f", 3), g = add(f, "g", 1, sampled | 4);
  order();
  ASSERT_EQ(samples_.size(), 4u);
  EXPECT_EQ(text(numbers_[g]), "g:1");
  EXPECT_EQ(samples_.contexts[numbers_[g]].flags, u32{sampled} | 4);
  EXPECT_EQ(samples_.contexts[numbers_[g]].parent, numbers_[f]);
  EXPECT_EQ(samples_.contexts[numbers_[f]].parent, numbers_[main]);
  EXPECT_EQ(samples_.contexts[numbers_[main]].parent, ContextSamples::root);
}

TEST_F(ContextOrderTest, LeavesOutWhatLeadsToNoSamples) {
  u32 main = add(0, "main", 0, 0), way = add(main, "way", 1, 0), f = add(way, "f", 1);
  u32 dead = add(main, "dead", 2, 0);
  order();
  EXPECT_EQ(samples_.size(), 4u);
  EXPECT_EQ(numbers_[dead], ContextSamples::root);
  EXPECT_EQ(samples_.contexts[numbers_[f]].parent, numbers_[way]);
  EXPECT_EQ(samples_.guid(samples_.names.intern("dead")), 0u);
}

TEST_F(ContextOrderTest, NothingIsTheRootAlone) {
  order();
  EXPECT_EQ(samples_.size(), 1u);
  EXPECT_TRUE(samples_.children(ContextSamples::root).empty());
}

// Of many contexts, on any number of threads.
TEST_F(ContextOrderTest, SiblingsAreNeighboursByKeyAndParentsComeFirst) {
  std::mt19937 random(7);
  constexpr u32 size = 50'000;
  std::set<std::tuple<u32, u32, u32>> known;
  while (nodes_.size() < size) {
    auto parent = static_cast<u32>(random() % nodes_.size());
    u32 function = random() % 40, line = random() % 9;
    if (known.emplace(parent, function, line).second)
      add(parent, fmt::format("f{}", function), line, random() % 2 ? sampled : 0);
  }
  order(3);
  EXPECT_TRUE(std::ranges::is_sorted(samples_.calls, {}, &ContextSamples::Call::key));
  size_t children = 0;
  for (u32 id = 0; id < samples_.size(); ++id) {
    u64 last = 0;
    for (u32 child : samples_.children(id)) {
      ++children;
      ASSERT_GT(child, id);
      ASSERT_EQ(samples_.contexts[child].parent, id);
      u64 key = samples_.calls[samples_.contexts[child].call].key;
      ASSERT_EQ(key, samples_.key(samples_.function(child), samples_.site(child)));
      ASSERT_GT(key, last);
      last = key;
    }
  }
  EXPECT_EQ(children + 1, samples_.size());
  for (u32 i = 1; i < size; ++i) {
    if (!(flags_[i] & sampled)) continue;
    ASSERT_EQ(samples_.function(numbers_[i]), nodes_[i].function);
    ASSERT_EQ(samples_.site(numbers_[i]), nodes_[i].call_site);
    ASSERT_EQ(samples_.contexts[numbers_[i]].parent, numbers_[static_cast<u32>(nodes_[i].parent)]);
  }
}

}  // namespace
}  // namespace pgokit::generate
