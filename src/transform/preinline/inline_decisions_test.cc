#include "transform/preinline/inline_decisions.h"

#include <gmock/gmock.h>

namespace pgokit::transform {
namespace {

struct Context {
  std::string name;
  u32 size;
  u64 calls;
  std::vector<u32> callees = {};
  bool was_inlined = false;
};

// The contexts of one function, the first; notes what is asked to be inlined.
class Store {
 public:
  explicit Store(std::vector<Context> contexts) : contexts_(std::move(contexts)) {
    main_ = names_.intern("main");
    absent_ = names_.intern("absent");
  }

  CallGraph call_graph() const {
    return {names_, {true, true}, std::vector<CallGraph::Edge>{{main_, absent_, 1}}};
  }
  std::optional<u32> take(NameId function) {
    taken.emplace_back(names_.text(function));
    return function == main_ ? std::optional<u32>(0) : std::nullopt;
  }
  u32 size_of(u32 context) const { return contexts_[context].size; }
  void add_candidates(u32 caller, InlineCandidates& candidates) const {
    for (u32 callee : contexts_[caller].callees)
      candidates.push({callee, contexts_[callee].size, contexts_[callee].calls, callee});
  }
  bool was_inlined(u32 context) const { return contexts_[context].was_inlined; }
  u32 inline_candidate(u32 context) {
    inlined.push_back(contexts_[context].name);
    return context;
  }

  std::vector<std::string> taken, inlined;

 private:
  profile::NameTable names_;
  NameId main_, absent_;
  std::vector<Context> contexts_;
};

std::vector<std::string> inlined(std::vector<Context> contexts, const PreinlineOptions& options) {
  Store store(std::move(contexts));
  decide_inlining(store, options);
  return store.inlined;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DecideInlining, TakesEachFunctionOnceAfterItsCallers) {
  Store store({{"main", 10, 0}});
  decide_inlining(store, {});
  EXPECT_THAT(store.taken, ElementsAre("main", "absent"));
  EXPECT_THAT(store.inlined, IsEmpty());
}

TEST(DecideInlining, CalleesOfWhatWasInlinedAreCandidatesToo) {
  std::vector<Context> contexts{
      {"main", 10, 0, {1, 2}}, {"warm", 10, 20}, {"hot", 10, 90, {3}}, {"below hot", 10, 50}};
  EXPECT_THAT(inlined(contexts, {.cold_count = 5, .upper_count = 100}),
              ElementsAre("hot", "below hot", "warm"));
}

TEST(DecideInlining, NothingIsInlinedBelowWhatIsNot) {
  std::vector<Context> contexts{{"main", 10, 0, {1}}, {"cold", 10, 1, {2}}, {"hot", 10, 90}};
  EXPECT_THAT(inlined(contexts, {.cold_count = 5, .upper_count = 100}), IsEmpty());
}

TEST(DecideInlining, StopsWhereTheFunctionReachesItsLimit) {
  std::vector<Context> contexts{
      {"main", 10, 0, {1, 2, 3}}, {"c", 6, 70}, {"a", 6, 90}, {"b", 6, 80}};
  EXPECT_THAT(
      inlined(contexts, {.growth_limit = 2, .limit_min = 1, .cold_count = 5, .upper_count = 100}),
      ElementsAre("a", "b"));
}

TEST(DecideInlining, ReplayInlinesWhatWasInlinedOnly) {
  std::vector<Context> contexts{{"main", 10, 0, {1, 2}}, {"hot", 10, 90}, {"was", 10, 1, {}, true}};
  EXPECT_THAT(inlined(contexts, {.replay = true}), ElementsAre("was"));
}

}  // namespace
}  // namespace pgokit::transform
