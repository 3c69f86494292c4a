// Frames and functions beside llvm-symbolizer's and llvm-dwarfdump's, over programs built here.

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <span>
#include <sstream>

#include "base/file.h"
#include "base/parallel.h"
#include "dwarf/debug_info.h"
#include "test/support/sample_program.h"
#include "test/support/symbolizer.h"

namespace pgokit::dwarf {
namespace {

using test::JudgedFrame;

struct Build {
  const char* name;
  const char* command;  // makes `program`
  const char* judge_options = "";
};

std::ostream& operator<<(std::ostream& out, const Build& build) { return out << build.name; }

std::vector<u64> pick_addresses(const object::File& file, const DebugInfo& info, size_t count) {
  std::vector<u64> addresses;
  std::mt19937_64 random(1);  // NOLINT(bugprone-random-generator-seed): the same every time
  for (const auto& section : file.sections()) {
    if (!section.is_code()) continue;
    for (size_t i = 0; i < std::min<u64>(count, section.size / 4); ++i)
      addresses.push_back(section.address + random() % section.size);
  }
  auto functions = info.functions();
  for (size_t i = 0; i < std::min<size_t>(functions.size(), 400); ++i) {
    const auto& function = functions[functions.size() <= 400 ? i : random() % functions.size()];
    addresses.push_back(function.begin);
    for (int k = 0; k < 10; ++k)
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

// A program in memory with its debug information.
struct Program {
  MappedFile mapped;
  object::File file;
  DebugInfo info;

  static Result<Program> load(const Options& options) {
    auto mapped = TRY(MappedFile::open(options.path));
    auto file = TRY(object::File::parse(mapped.bytes()));
    auto info = TRY(DebugInfo::load(file, options));
    return Program{std::move(mapped), std::move(file), std::move(info)};
  }
};

void compare_frames(const test::ScratchDir& dir, const Program& program, size_t count,
                    const std::string& judge_options) {
  auto addresses = pick_addresses(program.file, program.info, count);
  auto judged = test::judge_frames(dir, program.mapped.path(), addresses, judge_options);
  ASSERT_EQ(judged.size(), addresses.size());
  // What the judge knows from the dynamic symbols alone, which cannot be taken away.
  auto stripped = MappedFile::open(dir.file("judged"));
  std::set<std::string_view> exported;
  for (const auto& symbol : object::File::parse(stripped->bytes())->symbols())
    exported.insert(symbol.name);
  FrameCursor cursor(program.info);
  size_t different = 0, named = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const auto& part = cursor.at(addresses[i]);
    ASSERT_LE(part.begin, addresses[i]);
    ASSERT_LT(addresses[i], part.end);
    auto ours = our_frames(program.info, part);
    named += !ours.empty();
    if (ours.empty() && judged[i].size() == 1 && exported.contains(judged[i][0].function)) continue;
    if (ours == judged[i] || ++different > 5) continue;
    std::string text;
    for (const auto& f : ours) text += "  ours  " + to_text(f) + "\n";
    for (const auto& f : judged[i]) text += "  judge " + to_text(f) + "\n";
    ADD_FAILURE() << fmt::format("{:#x}\n{}", addresses[i], text);
  }
  EXPECT_EQ(different, 0u) << "of " << addresses.size();
  EXPECT_GT(named, 0u);
}

// Walking part by part, keeping nothing, gives what asking for every single address gives.
void check_parts(const Program& program) {
  FrameCursor walker(program.info, Reading::once), asker(program.info);
  for (const auto& function : program.info.functions()) {
    u64 end = std::min(function.end, function.begin + 2000);
    for (u64 at = function.begin; at < end;) {
      const auto& part = walker.at(at);
      ASSERT_GT(part.end, at);
      for (u64 each = at; each < std::min(part.end, end); ++each) {
        asker.at(0);
        const auto& single = asker.at(each);
        ASSERT_TRUE(std::ranges::equal(part.frames, single.frames)) << each;
        ASSERT_EQ(part.end, single.end);
      }
      at = part.end;
    }
  }
}

// Names, ranges and order of functions in llvm-dwarfdump's listing. An entry's name is the one in
// the quotes behind what it refers to, where there is one.
std::vector<FunctionRange> dump_functions(const std::string& listing,
                                          std::deque<std::string>& keep) {
  std::vector<FunctionRange> functions;
  bool inside = false, in_ranges = false;
  std::string own, linkage, referred;
  u64 low = 0;
  std::vector<std::pair<u64, u64>> ranges;
  auto flush = [&] {
    auto& name = keep.emplace_back(!linkage.empty() ? linkage : !referred.empty() ? referred : own);
    if (inside && !name.empty())
      for (auto [begin, end] : ranges)
        if (begin < end) functions.push_back({name, begin, end, 0, 0});
    inside = false;
    own = linkage = referred = "";
    ranges.clear();
  };
  auto quoted = [](const std::string& line) {
    auto begin = line.find('"'), end = line.rfind('"');
    return end == begin ? std::string{} : line.substr(begin + 1, end - begin - 1);
  };
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    auto has = [&](const char* what) { return line.find(what) != std::string::npos; };
    auto hex = [&](size_t at) {
      return std::stoull(line.substr(line.find("0x", at)), nullptr, 16);
    };
    if (has("DW_AT_")) in_ranges = has("DW_AT_ranges");
    if (has("DW_TAG_") || has("NULL")) {
      flush();
      inside = has("DW_TAG_subprogram");
    } else if (has("DW_AT_name")) {
      own = quoted(line);
    } else if (has("linkage_name")) {
      linkage = quoted(line);
    } else if (has("DW_AT_specification") || (has("DW_AT_abstract_origin") && referred.empty())) {
      referred = quoted(line);
    } else if (has("DW_AT_low_pc")) {
      low = hex(0);
    } else if (has("DW_AT_high_pc")) {
      ranges.push_back({low, hex(0)});
    } else if (in_ranges && has("[0x")) {
      ranges.push_back({hex(line.find("[0x")), hex(line.find(", 0x"))});
    }
  }
  flush();
  return functions;
}

void compare_functions(const test::ScratchDir& dir, const Program& program) {
  auto listing =
      test::run(fmt::format("cd {} && llvm-dwarfdump-22 --debug-info program", dir.path()));
  std::deque<std::string> keep;
  auto judged = dump_functions(listing.output, keep);
  auto ours = program.info.functions();
  ASSERT_GT(ours.size(), 2u);
  ASSERT_EQ(ours.size(), judged.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].name, judged[i].name);
    EXPECT_EQ(ours[i].begin, judged[i].begin) << ours[i].name;
    EXPECT_EQ(ours[i].end, judged[i].end) << ours[i].name;
  }
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
  auto program = Program::load({.path = dir.file("program")});
  ASSERT_TRUE(program) << program.error().message;
  compare_frames(dir, *program, 1000, GetParam().judge_options);
  check_parts(*program);
  if (program->info.facts().split_units == 0) compare_functions(dir, *program);
}

TEST(DwarfOracleBig, FramesInThisProgramAreThoseOfLlvm) {
  for (const char* tool : {"llvm-symbolizer-22", "llvm-objcopy-22"})
    if (!test::has_program(tool)) GTEST_SKIP() << tool << " is not installed";
  test::ScratchDir dir;
  auto path = std::filesystem::read_symlink("/proc/self/exe").string();
  auto program = Program::load({.path = path});
  if (!program) GTEST_SKIP() << program.error().message;
  compare_frames(dir, *program, 4000, "");
}

TEST(DwarfOracleCorpus, FramesAreThoseOfLlvm) {
  std::error_code absent;
  std::filesystem::recursive_directory_iterator corpus(PGOKIT_SOURCE_DIR "/../shared/corpus",
                                                       absent);
  if (absent) GTEST_SKIP() << "no corpus beside the project";
  for (const char* tool : {"llvm-symbolizer-22", "llvm-objcopy-22"})
    if (!test::has_program(tool)) GTEST_SKIP() << tool << " is not installed";
  size_t programs = 0;
  for (const auto& file : corpus) {
    if (!file.is_regular_file()) continue;
    auto program = Program::load({.path = file.path().string()});
    if (!program || program->info.functions().empty()) continue;
    SCOPED_TRACE(file.path());
    test::ScratchDir dir;
    compare_frames(dir, *program, 500, "");
    ++programs;
  }
  EXPECT_GT(programs, 0u);
}

TEST(DebugInfoThreads, CursorsAgree) {
  auto path = std::filesystem::read_symlink("/proc/self/exe").string();
  auto alone = Program::load({.path = path, .threads = 1});
  auto shared = Program::load({.path = path, .threads = 4});
  if (!alone || !shared) GTEST_SKIP() << "no debug information in this program";
  auto functions = alone->info.functions();
  auto some = std::span(functions).first(std::min<size_t>(functions.size(), 1000));
  auto hash_all = [&](const DebugInfo& info) {
    FrameCursor cursor(info);
    u64 hash = 0;
    for (const auto& function : some)
      for (u64 at = function.begin; at < function.end; at = cursor.at(at).end)
        for (const auto& frame : cursor.at(at).frames)
          hash = hash * 31 + std::hash<std::string_view>()(frame.function) + frame.line;
    return hash;
  };
  u64 expected = hash_all(alone->info);
  std::vector<u64> hashes(4);
  parallel_for(hashes.size(), 4, [&](size_t i, unsigned) { hashes[i] = hash_all(shared->info); });
  for (u64 hash : hashes) EXPECT_EQ(hash, expected);
  EXPECT_TRUE(std::ranges::equal(functions, shared->info.functions(), {}, &FunctionRange::name,
                                 &FunctionRange::name));
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
    {"clang_package",
     "clang++-22 -O2 -g -gsplit-dwarf -fdebug-info-for-profiling -c main.cc other.cc && "
     "clang-22 -O2 -g -gsplit-dwarf -c part.c && clang++-22 *.o -o program && "
     "llvm-dwp-22 -e program -o program.dwp && rm *.dwo",
     "--dwp=program.dwp"},
    {"clang_package_dwarf4",
     "clang++-22 -O2 -gdwarf-4 -gsplit-dwarf -ffunction-sections -c main.cc other.cc && "
     "clang-22 -O2 -gdwarf-4 -gsplit-dwarf -c part.c && clang++-22 *.o -o program && "
     "llvm-dwp-22 -e program -o program.dwp && rm *.dwo",
     "--dwp=program.dwp"},
    {"clang_package_type_units",
     "clang++-22 -O2 -g -gsplit-dwarf -fdebug-types-section -c main.cc other.cc && "
     "clang-22 -O2 -g -gsplit-dwarf -c part.c && clang++-22 *.o -o program && "
     "llvm-dwp-22 -e program -o program.dwp && rm *.dwo",
     "--dwp=program.dwp"},
    {"clang_split_single",
     "clang++-22 -O2 -g -gsplit-dwarf=single -c main.cc other.cc && "
     "clang-22 -O2 -g -gsplit-dwarf=single -c part.c && clang++-22 *.o -o program"},
    {"clang_thin_lto_split", "clang++-22 -O2 -g -gsplit-dwarf -flto=thin -fuse-ld=lld-22 " ALL
                             " -Wl,--plugin-opt=dwo_dir=dwo -o program"},
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
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace pgokit::dwarf
