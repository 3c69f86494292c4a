// Frames and functions beside llvm-symbolizer's and llvm-dwarfdump's, over programs built here.

#include <gtest/gtest.h>

#include <random>

#include "base/file.h"
#include "dwarf/debug_info.h"
#include "test/support/sample_program.h"
#include "test/support/symbolizer.h"

namespace pgokit::dwarf {
namespace {

using test::JudgedFrame;

struct Build {
  const char* name;
  const char* command;  // makes `program`
};

std::ostream& operator<<(std::ostream& out, const Build& build) { return out << build.name; }

std::vector<u64> pick_addresses(const elf::File& file, const DebugInfo& info, size_t count) {
  std::vector<u64> addresses;
  std::mt19937_64 random(1);
  for (const auto& section : file.sections()) {
    if (!section.is_code()) continue;
    for (size_t i = 0; i < count; ++i)
      addresses.push_back(section.address + random() % section.size);
  }
  for (const auto& function : info.functions()) {
    addresses.push_back(function.begin);
    for (int i = 0; i < 10; ++i)
      addresses.push_back(function.begin + random() % (function.end - function.begin));
  }
  return addresses;
}

std::vector<JudgedFrame> our_frames(const DebugInfo& info, const FramePart& part) {
  std::vector<JudgedFrame> frames;
  for (const auto& f : part.frames) {
    auto file = info.file_name(part, f);
    frames.push_back({std::string(f.function), file.empty() ? "??" : file, f.line, f.column,
                      f.discriminator, f.start_line});
  }
  return frames;
}

void compare_frames(const test::ScratchDir& dir, const std::string& judge_options = {}) {
  auto mapped = MappedFile::open(dir.file("program"));
  ASSERT_TRUE(mapped) << mapped.error().message;
  auto file = elf::File::parse(mapped->bytes());
  ASSERT_TRUE(file);
  auto info = DebugInfo::load(*file, {.path = dir.file("program")});
  ASSERT_TRUE(info) << info.error().message;

  auto addresses = pick_addresses(*file, *info, 1000);
  auto judged = test::judge_frames(dir, "program", addresses, judge_options);
  ASSERT_EQ(judged.size(), addresses.size());
  FrameCursor cursor(*info);
  size_t different = 0, inlined = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const auto& part = cursor.at(addresses[i]);
    ASSERT_LE(part.begin, addresses[i]);
    ASSERT_LT(addresses[i], part.end);
    auto ours = our_frames(*info, part);
    inlined += ours.size() > 1;
    if (ours == judged[i] || ++different > 5) continue;
    std::string text;
    for (const auto& f : ours) text += "  ours  " + to_text(f) + "\n";
    for (const auto& f : judged[i]) text += "  judge " + to_text(f) + "\n";
    ADD_FAILURE() << fmt::format("{:#x}\n{}", addresses[i], text);
  }
  EXPECT_EQ(different, 0u) << "of " << addresses.size();
  testing::Test::RecordProperty("addresses", static_cast<int>(addresses.size()));
  testing::Test::RecordProperty("with inlined frames", static_cast<int>(inlined));
}

class DwarfOracle : public testing::TestWithParam<Build> {};

TEST_P(DwarfOracle, FramesAreThoseOfLlvm) {
  for (const char* tool : {"clang++-22", "g++-12", "llvm-symbolizer-22", "llvm-objcopy-22",
                           "llvm-dwp-22", "ld.lld-22"})
    if (!test::has_program(tool)) GTEST_SKIP() << tool << " is not installed";
  test::ScratchDir dir;
  test::write_sample_sources(dir);
  auto built = test::run(fmt::format("cd {} && ({}) 2>&1", dir.path(), GetParam().command));
  ASSERT_EQ(built.status, 0) << built.output;
  compare_frames(dir);
}

#define ALL "main.cc other.cc -x c part.c"
constexpr Build builds[] = {
    {"clang_O0", "clang++-22 -O0 -g " ALL " -o program"},
    {"clang_O2", "clang++-22 -O2 -DRICH -g " ALL " -o program"},
    {"clang_O3_profiling",
     "clang++-22 -O3 -DRICH -g -fdebug-info-for-profiling -funique-internal-linkage-names " ALL
     " -o program"},
    {"clang_O2_dwarf4", "clang++-22 -O2 -gdwarf-4 -fdebug-info-for-profiling " ALL " -o program"},
    {"clang_O2_dwarf3", "clang++-22 -O2 -gdwarf-3 " ALL " -o program"},
    {"clang_O2_dwarf64", "clang++-22 -O2 -g -gdwarf64 " ALL " -o program"},
    {"clang_line_tables_only",
     "clang++-22 -O2 -gline-tables-only -fdebug-info-for-profiling " ALL " -o program"},
    {"clang_g1_without_profiling", "clang++-22 -O2 -g1 " ALL " -o program"},
    {"clang_sections_lld",
     "clang++-22 -O2 -g -ffunction-sections -fuse-ld=lld-22 -Wl,--gc-sections " ALL " -o program"},
    {"clang_sections_lld_dwarf4",
     "clang++-22 -O2 -gdwarf-4 -ffunction-sections -fuse-ld=lld-22 -Wl,--gc-sections " ALL
     " -o program"},
    {"clang_sections_bfd",
     "clang++-22 -O2 -g -ffunction-sections -fuse-ld=bfd -Wl,--gc-sections " ALL " -o program"},
    {"clang_aranges", "clang++-22 -O2 -g -gdwarf-aranges -fuse-ld=bfd " ALL " -o program"},
    {"clang_block_sections",
     "clang++-22 -O2 -g -fbasic-block-sections=all -fuse-ld=lld-22 " ALL " -o program"},
    {"clang_thin_lto",
     "clang++-22 -O2 -DRICH -g -flto=thin -fdebug-info-for-profiling -fuse-ld=lld-22 " ALL
     " -o program"},
    {"clang_full_lto", "clang++-22 -O2 -g -flto -fuse-ld=lld-22 " ALL " -o program"},
    {"clang_zlib", "clang++-22 -O2 -g -gz=zlib -fuse-ld=lld-22 " ALL " -o program"},
    {"clang_zstd", "clang++-22 -O2 -g -gz=zstd -fuse-ld=lld-22 " ALL " -o program"},
    {"clang_type_units", "clang++-22 -O2 -g -fdebug-types-section " ALL " -o program"},
    {"clang_split",
     "clang++-22 -O2 -DRICH -g -gsplit-dwarf -fdebug-info-for-profiling -c main.cc other.cc && "
     "clang-22 -O2 -g -gsplit-dwarf -c part.c && clang++-22 *.o -o program"},
    {"clang_split_dwarf4",
     "clang++-22 -O2 -gdwarf-4 -gsplit-dwarf -ffunction-sections -c main.cc other.cc && "
     "clang-22 -O2 -gdwarf-4 -gsplit-dwarf -c part.c && clang++-22 *.o -o program"},
    {"clang_split_inlining",
     "clang++-22 -O2 -g -gsplit-dwarf -fsplit-dwarf-inlining -c main.cc other.cc && "
     "clang-22 -O2 -g -c part.c && clang++-22 *.o -o program"},
    {"clang_split_missing",
     "clang++-22 -O2 -g -gsplit-dwarf -fsplit-dwarf-inlining -c main.cc other.cc && "
     "clang-22 -O2 -g -gsplit-dwarf -c part.c && clang++-22 *.o -o program && rm other.dwo"},
    {"gcc_O2", "g++-12 -O2 -DRICH -g " ALL " -o program"},
    {"gcc_O3_dwarf4", "g++-12 -O3 -DRICH -gdwarf-4 " ALL " -o program"},
    {"gcc_O0", "g++-12 -O0 -g " ALL " -o program"},
    {"gcc_dwarf2_strict", "g++-12 -O2 -gdwarf-2 -gstrict-dwarf " ALL " -o program"},
    {"gcc_dwarf64", "g++-12 -O2 -g -gdwarf64 -ffunction-sections " ALL " -o program"},
    {"gcc_lto", "g++-12 -O2 -g -flto " ALL " -o program"},
    {"gcc_split",
     "g++-12 -O2 -g -gsplit-dwarf -c main.cc other.cc && gcc-12 -O2 -g -gsplit-dwarf -c part.c && "
     "g++-12 *.o -o program"},
    {"gcc_split_dwarf4",
     "g++-12 -O2 -gdwarf-4 -gsplit-dwarf -c main.cc other.cc && "
     "gcc-12 -O2 -gdwarf-4 -gsplit-dwarf -c part.c && g++-12 *.o -o program"},
};

INSTANTIATE_TEST_SUITE_P(Builds, DwarfOracle, testing::ValuesIn(builds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pgokit::dwarf
