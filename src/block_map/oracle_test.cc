// Block maps beside those that llvm-readobj prints, of programs and objects that are built here.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/file.h"
#include "block_map/block_map.h"
#include "test/support/shell.h"

namespace pgokit::block_map {
namespace {

constexpr std::string_view source = R"(
extern int puts(const char*);
extern void leave(void);
volatile int sink;
__attribute__((noinline)) int work(int x) {
  int s = 0;
  for (int i = 0; i < x; ++i) {
    if (i % 3 == 0) s += i * sink; else s ^= i;
    if (__builtin_expect(s == 77, 0)) { puts("a"); puts("b"); leave(); }
  }
  return s;
}
int (*pointer)(int) = work;
int tail(int x) { return pointer(x + 1); }
int main(int c, char** v) {
  int s = 0;
  for (int i = 0; i < 1000; ++i) { s += pointer(i); if (s == 12345) puts("odd"); }
  switch (c) {
    case 1: return s & 1;
    case 2: puts("a"); break;
    case 3: puts("b"); return 5;
    case 4: sink = 4; break;
    case 5: sink = 7; break;
    case 9: sink = 9;
  }
  return tail(s);
}
)";

constexpr std::string_view profile = R"(main:1001000:1
 1: 1
 2: 1000
 2: 1000 work:1000
 4: 1
work:900000:1000
 2: 90000
 3: 80000
 5: 1000
)";

struct Build {
  const char* name;
  const char* command;  // of a.c and a.prof; makes `out`
};

std::ostream& operator<<(std::ostream& out, const Build& build) { return out << build.name; }

// What both tell, a line each and in one form.
class Printer {
 public:
  void print(const Function& f) {
    line("At: 0x{:X}", f.addresses.at(0));
    for (size_t range = 0, block = 0; range < f.addresses.size(); ++range) {
      line("Base Address: 0x{:X}", f.addresses[range]);
      for (; block < f.blocks.size() && f.blocks[block].range == range; ++block) print(f, block);
    }
    if (!f.features.beliefs()) return;
    if (f.features.entry_count) line("FuncEntryCount: {}", f.entry_count);
    const auto& columns = f.columns;
    for (size_t i = 0; i < f.blocks.size(); ++i) {
      if (f.features.frequencies) line("Frequency: {}", columns.frequencies.at(i));
      for (size_t k = 0; k < f.successors_of(i).size(); ++k) {
        line("ID: {}", f.successors_of(i)[k]);
        line("Probability: 0x{:X}", f.probabilities_of(i)[k]);
      }
    }
  }
  std::string text;

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    text += fmt::format(form, std::forward<Args>(args)...) + '\n';
  }

  void print(const Function& f, size_t i) {
    const auto& block = f.blocks[i];
    line("ID: {}", block.id);
    line("Offset: 0x{:X}", block.offset);
    if (auto calls = f.calls_of(i); !calls.empty())
      line("Callsite End Offsets: [{}]", fmt::join(calls, ", "));
    if (f.features.hashes) line("Hash: 0x{:X}", f.columns.hashes.at(i));
    line("Size: 0x{:X}", block.size);
    auto flag = [&](std::string_view name, u8 bit) {
      line("{}: {}", name, block.flags & bit ? "Yes" : "No");
    };
    flag("HasReturn", Block::returns);
    flag("HasTailCall", Block::tail_call);
    flag("IsEHPad", Block::landing_pad);
    flag("CanFallThrough", Block::falls_through);
    flag("HasIndirectBranch", Block::indirect_branch);
  }
};

std::string judged(const std::string& file, bool with_addresses) {
  std::istringstream in(
      test::run(fmt::format("llvm-readobj-22 --bb-addr-map {} 2>/dev/null", file)).output);
  std::string text, line;
  while (std::getline(in, line)) {
    auto begin = line.find_first_not_of(' ');
    auto colon = line.find(": ");
    if (begin == line.npos || colon == line.npos) continue;
    line = line.substr(begin);
    static constexpr std::string_view others[] = {"File",        "Format",   "Arch",
                                                  "AddressSize", "LoadName", "Name"};
    auto key = line.substr(0, line.find(':'));
    if (std::ranges::find(others, key) != std::end(others)) continue;
    if (!with_addresses && (key == "At" || key == "Base Address")) line = key;
    text += line + '\n';
  }
  return text;
}

std::string ours(const std::string& path, bool with_addresses) {
  auto mapped = MappedFile::open(path);
  auto file = object::File::parse(mapped->bytes());
  Printer printer;
  auto status = each_function(*file, [&](const Function& f) { printer.print(f); });
  if (!status) return status.error().message;
  if (with_addresses) return printer.text;
  std::istringstream in(printer.text);
  std::string text, line;
  while (std::getline(in, line))
    text += (line.starts_with("At:")    ? "At"
             : line.starts_with("Base") ? "Base Address"
                                        : line) +
            '\n';
  return text;
}

class BlockMaps : public testing::TestWithParam<Build> {};

TEST_P(BlockMaps, AreWhatReadobjPrints) {
  if (!test::has_program("clang-22") || !test::has_program("llvm-readobj-22"))
    GTEST_SKIP() << "clang-22 or llvm-readobj-22 is not installed";
  test::ScratchDir dir;
  dir.write("a.c", source);
  dir.write("a.prof", profile);
  dir.write("b.c", "void leave(void) {}\n");
  auto made = test::run(fmt::format("cd {} && {} 2>&1", dir.path(), GetParam().command));
  ASSERT_EQ(made.status, 0) << made.output;
  auto mapped = MappedFile::open(dir.file("out"));
  ASSERT_TRUE(mapped);
  auto file = object::File::parse(mapped->bytes());
  ASSERT_TRUE(file);
  // In objects with several code sections readobj counts from each of them.
  bool with_addresses = !file->is_relocatable();
  auto expected = judged(dir.file("out"), with_addresses);
  ASSERT_GT(expected.size(), 100u) << expected;
  EXPECT_EQ(ours(dir.file("out"), with_addresses), expected);
}

#define MAP "-fbasic-block-address-map -mllvm -pgo-analysis-map=all "
#define USE "-fprofile-sample-use=a.prof -gline-tables-only "
#define LINK " a.c b.c -fuse-ld=lld-22 -o out"
INSTANTIATE_TEST_SUITE_P(
    Clang, BlockMaps,
    testing::Values(
        Build{"plain", "clang-22 -O2 -fbasic-block-address-map" LINK},
        Build{"beliefs", "clang-22 -O2 " MAP LINK}, Build{"used", "clang-22 -O2 " USE MAP LINK},
        Build{"entries",
              "clang-22 -O2 " USE
              "-fbasic-block-address-map -mllvm -pgo-analysis-map=func-entry-count" LINK},
        Build{"frequencies", "clang-22 -O2 " USE
                             "-fbasic-block-address-map -mllvm -pgo-analysis-map=bb-freq" LINK},
        Build{"probabilities", "clang-22 -O2 " USE
                               "-fbasic-block-address-map -mllvm -pgo-analysis-map=br-prob" LINK},
        Build{"functions_only",
              "clang-22 -O2 " USE
              "-fbasic-block-address-map -mllvm -pgo-analysis-map=func-entry-count "
              "-mllvm -basic-block-address-map-skip-bb-entries" LINK},
        Build{"hashes", "clang-22 -O2 " USE MAP "-mllvm -emit-bb-hash" LINK},
        Build{"split", "clang-22 -O2 " USE MAP "-fsplit-machine-functions" LINK},
        Build{"sections",
              "clang-22 -O2 " USE MAP "-ffunction-sections -fbasic-block-sections=all" LINK},
        Build{"no_pie", "clang-22 -O1 -fno-pie -no-pie " USE MAP LINK},
        Build{"lto", "clang-22 -O2 -flto " USE "-fbasic-block-address-map "
                     "-Wl,--lto-basic-block-address-map,-mllvm,-pgo-analysis-map=all" LINK},
        Build{"object", "clang-22 -O2 " USE MAP "-c a.c -o out"},
        Build{"object_sections", "clang-22 -O2 " USE MAP "-ffunction-sections -c a.c -o out"}));

TEST(BlockMaps, OfOlderVersionsAreWhatReadobjPrints) {
  if (!test::has_program("yaml2obj-22") || !test::has_program("llvm-readobj-22"))
    GTEST_SKIP() << "yaml2obj-22 or llvm-readobj-22 is not installed";
  test::ScratchDir dir;
  dir.write("a.yaml", R"(--- !ELF
FileHeader: {Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_X86_64}
Sections:
  - {Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR], Address: 0x1000, Size: 0x100}
  - Name: .llvm_bb_addr_map
    Type: SHT_LLVM_BB_ADDR_MAP
    Link: .text
    Entries:
      - Version: 2
        Feature: 0x0
        BBRanges:
          - BaseAddress: 0x1000
            BBEntries:
              - {ID: 0, AddressOffset: 0x0, Size: 0x4, Metadata: 0x8}
              - {ID: 7, AddressOffset: 0x2, Size: 0x300, Metadata: 0x1}
      - Version: 3
        Feature: 0x28
        BBRanges:
          - BaseAddress: 0x1010
            BBEntries:
              - {ID: 0, AddressOffset: 0x0, Size: 0x4, Metadata: 0x8, CallsiteEndOffsets: [0x5, 0x6]}
              - {ID: 2, AddressOffset: 0x1, Size: 0x4, Metadata: 0x2}
          - BaseAddress: 0x1080
            BBEntries:
              - {ID: 1, AddressOffset: 0x1, Size: 0x4, Metadata: 0x14, CallsiteEndOffsets: [0x3]}
      - Version: 4
        Feature: 0x40
        BBRanges:
          - BaseAddress: 0x1040
            BBEntries:
              - {ID: 3, AddressOffset: 0x0, Size: 0x4, Metadata: 0x8, Hash: 0x123456789abcdef0}
)");
  auto made = test::run(fmt::format("cd {} && yaml2obj-22 a.yaml -o out 2>&1", dir.path()));
  ASSERT_EQ(made.status, 0) << made.output;
  auto expected = judged(dir.file("out"), true);
  ASSERT_GT(expected.size(), 500u) << expected;
  EXPECT_EQ(ours(dir.file("out"), true), expected);
}

}  // namespace
}  // namespace pgokit::block_map
