#include "generate/context/probes/probe_pieces.h"

#include <gmock/gmock.h>

#include <map>

#include "test/support/tail_call_test.h"

namespace pgokit::generate {
namespace {

using program::CodeIndex;
using testing::Contains;
using testing::UnorderedElementsAreArray;

class ProbePiecesTest : public test::TailCallProbesTest {
 protected:
  ProbePiecesTest() {
    for (const auto& node : decoded_.nodes())
      names_.push_back(samples_.names.intern(decoded_.name_of(node)));
    for (u32 slot = 0; slot < code_.slots(); ++slot)
      location_of_slot_.push_back(samples_.locations.intern(code_.location(slot)));
  }
  // From any place in the code to any behind it, and once more.
  std::vector<unwind::Range> all_ranges() const {
    std::vector<unwind::Range> ranges;
    for (int twice = 0; twice < 2; ++twice)
      for (u32 last = 0; last < program_.code().size(); ++last)
        for (u32 first = 0; first <= last; ++first)
          ranges.push_back({CodeIndex(first), CodeIndex(last), 1});
    return ranges;
  }
  ProbePieces pieces_of(std::span<const unwind::Range> ranges) {
    return {code_, ranges, location_of_slot_, names_, 2, samples_};
  }

  ContextSamples samples_;
  std::vector<NameId> names_;
  std::vector<u32> location_of_slot_;
};

TEST_F(ProbePiecesTest, HaveTheProbesOfTheirRangeByNode) {
  auto ranges = all_ranges();
  auto pieces = pieces_of(ranges);
  size_t most_nodes = 0;
  for (const auto& range : ranges) {
    std::map<u32, std::vector<u32>> locations;
    std::map<u32, u32> entries;
    std::vector<u32> nodes;
    for (const auto& hit : code_.in(range.first, range.last)) {
      if (!locations.contains(hit.node)) nodes.push_back(hit.node);
      locations[hit.node].push_back(location_of_slot_[hit.slot]);
      entries[hit.node] += code_.location(hit.slot).line_offset == 1;
    }
    auto found = pieces.of(range);
    std::vector<u32> found_nodes;
    for (const auto& piece : found) found_nodes.push_back(piece.node);
    ASSERT_EQ(found_nodes, nodes);
    for (const auto& piece : found) {
      EXPECT_THAT(samples_.listed(piece.list), UnorderedElementsAreArray(locations[piece.node]));
      EXPECT_EQ(piece.entries, entries[piece.node]);
      EXPECT_EQ(samples_.lists[piece.list].whole, piece.node);
      EXPECT_EQ(samples_.lists[piece.list].function, names_[piece.node]);
      for (u32 location : samples_.listed(piece.list))
        EXPECT_THAT(samples_.listed(piece.node), Contains(location));
    }
    most_nodes = std::max(most_nodes, found.size());
  }
  EXPECT_GT(most_nodes, 2u);
  EXPECT_LT(samples_.lists.size(), ranges.size() / 2) << "pieces of the same probes are one list";
}

TEST_F(ProbePiecesTest, OfNoRangesAreTheNodesAlone) {
  pieces_of({});
  ASSERT_EQ(samples_.lists.size(), decoded_.nodes().size());
  for (u32 node = 0; node < names_.size(); ++node)
    EXPECT_EQ(samples_.listed(node).size(), code_.end_slot(node) - code_.first_slot(node));
}

}  // namespace
}  // namespace pgokit::generate
