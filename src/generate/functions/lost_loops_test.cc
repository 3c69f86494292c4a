#include "generate/functions/lost_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/functions/hit_functions.h"
#include "probe/section_builder.h"
#include "test/support/elf_builder.h"
#include "test/support/shell.h"

namespace pgokit::generate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::string_literals;

// 0x401000  f:       90              nop         probes 1 and 2
// 0x401001           74 0c           je    0x40100f
// 0x401003           90              nop
// 0x401004           e8 LL LL LL LL  call  `callee`
// 0x401009           90              nop         probe 5
// 0x40100a           e8 LL LL LL LL  call  `callee`
// 0x40100f           c3              ret
// 0x401010  callee:  c3              ret
class LostLoopsTest : public testing::Test {
 protected:
  // Each: the number and the type of a probe, and how far it is from the one before.
  struct ProbeAt {
    u64 index;
    u8 type;
    i64 delta;
  };
  std::vector<std::pair<u64, u32>> add(std::string callee, const std::vector<ProbeAt>& list,
                                       char branch = '\x74') {
    probe::SectionBuilder descriptors, probes;
    descriptors.descriptor("f", 100);
    probes.record("f", list.size(), 0);
    for (const auto& one : list) probes.probe(one.index, one.type, one.delta);
    auto text = [](const probe::SectionBuilder& section) {
      return std::string(section.bytes().begin(), section.bytes().end());
    };
    std::string code = "\x90"s + branch + "\x0c\x90\xe8\x07\0\0\0\x90\xe8\x01\0\0\0\xc3\xc3"s;
    test::ElfBuilder builder;
    builder.segment(PF_R, 0, 0x400000, 0x1000)
        .segment(PF_R | PF_X, 0x1000, 0x401000, 0x1000)
        .section(".text", code, {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x401000})
        .section(".pseudo_probe_desc", text(descriptors))
        .section(".pseudo_probe", text(probes))
        .symbol("f", 0x401000, 16, 1)
        .symbol(std::move(callee), 0x401010, 1, 1);
    dir_.write("f", builder.image());
    auto program = *program::Program::open(dir_.file("f"), {});
    EXPECT_TRUE(program.load_functions(1));
    auto table = *program.probe_table();
    auto decoded = decode_probes(program, table, {true, true});
    auto at = [&](u64 address) { return program.code().index_of({address}); };
    // The second one is there twice, and one is of no code.
    add_lost_loops(program, {at(0x40100a), at(0x401004), at(0x40100a), program::no_code}, decoded);
    std::vector<std::pair<u64, u32>> found;
    for (const auto& probe : decoded.probes())
      if (probe.address == 0x401004 || probe.address == 0x40100a)
        found.emplace_back(probe.address, probe.index);
    return found;
  }

  test::ScratchDir dir_;
};

TEST_F(LostLoopsTest, HaveTheirBlocksAtTheCall) {
  EXPECT_THAT(add("memset", {{1, 0, 0}, {2, 0, 0}, {5, 0, 9}, {6, 0, 6}}),
              ElementsAre(std::pair(0x401004, 3), std::pair(0x401004, 4)));
}

TEST_F(LostLoopsTest, MayFollowEachOther) {
  EXPECT_THAT(add("memcpy", {{1, 0, 0}, {2, 0, 0}, {5, 0, 9}, {8, 0, 6}}),
              ElementsAre(std::pair(0x401004, 3), std::pair(0x401004, 4), std::pair(0x40100a, 6),
                          std::pair(0x40100a, 7)));
}

TEST_F(LostLoopsTest, AreNoneWhereABlockIsThere) {
  EXPECT_THAT(add("memset", {{1, 0, 0}, {2, 0, 0}, {3, 0, 15}, {5, 0, -6}}), IsEmpty());
  EXPECT_THAT(add("memset", {{1, 0, 0}, {2, 0, 0}, {4, 0, 15}, {5, 0, -6}}), IsEmpty());
}

TEST_F(LostLoopsTest, AreNoneWhereAnythingElseIsCalled) {
  EXPECT_THAT(add("memsets", {{1, 0, 0}, {2, 0, 0}, {5, 0, 9}}), IsEmpty());
}

TEST_F(LostLoopsTest, AreNoneWhereTheSourceCalls) {
  EXPECT_THAT(add("memset", {{1, 0, 0}, {2, 0, 0}, {5, 2, 4}}), ElementsAre(std::pair(0x401004, 5)))
      << "the probe of the call itself";
}

TEST_F(LostLoopsTest, AreNoneWhereNothingJumpsOverThem) {
  EXPECT_THAT(add("memset", {{1, 0, 0}, {2, 0, 0}, {5, 0, 9}}, '\x3c'), IsEmpty());  // cmp al, 12
}

}  // namespace
}  // namespace pgokit::generate
