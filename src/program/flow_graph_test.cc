#include "program/flow_graph.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "test/support/tiny_program.h"

namespace pgokit::program {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Way = FlowGraph::Way;

constexpr u32 outside = FlowGraph::outside;

struct Code {
  Code(std::string bytes, const std::vector<dwarf::FunctionRange>& ranges)
      : image(test::ElfBuilder()
                  .segment(PF_R | PF_X, 0x1000, 0x401000, 0x1000)
                  .section(".text", std::move(bytes),
                           {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x401000})
                  .symbol("main", 0x401000, 1, 1)
                  .image()),
        functions(ranges, symbols, 0x1000) {}

  FlowGraph graph() const { return FlowGraph::of_function(map, functions, 0); }
  std::vector<std::pair<u64, u64>> blocks() const {
    std::vector<std::pair<u64, u64>> out;
    for (const auto& block : graph().blocks)
      out.emplace_back(map.address_of(block.first).value, map.address_of(block.last).value);
    return out;
  }

  std::string image;
  object::File file = *object::File::parse(as_bytes(image));
  CodeSymbols symbols{file};
  CodeMap map = *CodeMap::build(file, symbols);
  FunctionTable functions;
};

dwarf::FunctionRange range(u64 begin, u64 end) {
  return {.name = "main", .begin = begin, .end = end};
}

TEST(FlowGraph, BranchesAndTheirTargetsDivideBlocksAndCallsDoNot) {
  Code code(test::tiny_code(), {range(0x401000, 0x40100d)});
  using Block = std::pair<u64, u64>;
  EXPECT_THAT(code.blocks(), ElementsAre(Block(0x401000, 0x401002), Block(0x401004, 0x401004),
                                         Block(0x401007, 0x40100c)));
  auto graph = code.graph();
  EXPECT_THAT(graph.ways, UnorderedElementsAre(Way{outside, 0}, Way{0, 1}, Way{0, 2}, Way{1, 2},
                                               Way{2, outside}));
  EXPECT_EQ(graph.blocks[2].instructions, 2u);
  EXPECT_EQ(graph.block_of(code.map.index_of({0x40100c})), 2u);
  EXPECT_EQ(graph.block_of(code.map.index_of({0x40100d})), outside);
}

TEST(FlowGraph, AnIndirectJumpGoesWhereNothingElseLeads) {
  using namespace std::string_literals;
  // jmp *rax; nop; ret; nop; ret
  Code code("\xff\xe0\x90\xc3\x90\xc3"s, {range(0x401000, 0x401006)});
  EXPECT_THAT(code.graph().ways, UnorderedElementsAre(Way{outside, 0}, Way{0, 1}, Way{0, 2},
                                                      Way{1, outside}, Way{2, outside}));
}

TEST(FlowGraph, AnIndirectJumpWithoutTargetsLeaves) {
  using namespace std::string_literals;
  Code code("\x90\xff\xe0"s, {range(0x401000, 0x401003)});
  EXPECT_THAT(code.graph().ways, UnorderedElementsAre(Way{outside, 0}, Way{0, outside}));
}

TEST(FlowGraph, LandingPadsAreEnteredFromOutside) {
  using namespace std::string_literals;
  Code code("\xc3\x90\xc3"s, {range(0x401000, 0x401003)});
  EXPECT_THAT(code.graph().ways, UnorderedElementsAre(Way{outside, 0}, Way{outside, 1},
                                                      Way{0, outside}, Way{1, outside}));
}

TEST(FlowGraph, JumpsBetweenPartsOfAFunctionStayInside) {
  using namespace std::string_literals;
  // hot: jmp 0x401004 (cold part); nop nop: of others; cold: ret
  Code code("\xeb\x02\x90\x90\xc3"s, {range(0x401000, 0x401002), range(0x401004, 0x401005)});
  auto graph = code.graph();
  ASSERT_EQ(graph.blocks.size(), 2u);
  EXPECT_THAT(graph.ways, testing::Contains(Way{0, 1}));
}

TEST(FlowGraph, RangesInEachOtherAreGoneThroughOnce) {
  using namespace std::string_literals;
  Code code("\x90\x90\x90\x90\xc3"s,
            {range(0x401000, 0x401005), range(0x401000, 0x401005), range(0x401002, 0x401005)});
  u32 instructions = 0;
  for (const auto& block : code.graph().blocks) instructions += block.instructions;
  EXPECT_EQ(instructions, 5u);
}

TEST(FlowGraph, AFunctionWithoutInstructionsHasNoBlocks) {
  Code code(test::tiny_code(), {range(0x402000, 0x402010)});
  EXPECT_TRUE(code.graph().blocks.empty());
  EXPECT_TRUE(code.graph().ways.empty());
}

}  // namespace
}  // namespace pgokit::program
