#include "pipeline/find_program.h"

#include <gtest/gtest.h>

#include "instrument/profile_file.h"
#include "object/file.h"
#include "perf/test_recordings.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::pipeline {
namespace {

constexpr std::string_view tiny_id = "tiny build id here!!";

// One process runs `path`, `samples` times; then a library `rare` once.
perf::test::Image recording_of(const std::string& path, std::string_view build_id, int samples,
                               const std::string& rare = "/lib/rare.so") {
  return perf::test::recording({perf::test::branch_event()}, [&](perf::Writer& writer) {
    perf::RecordId at{.pid = 7, .tid = 7, .time = 100, .id = 11};
    Bytes id(reinterpret_cast<const u8*>(build_id.data()), build_id.size());
    writer.mmap2(at, {.start = 0x401000, .size = 0x1000, .path = path, .build_id = id});
    writer.mmap2(at, {.start = 0x7000000, .size = 0x1000, .path = rare});
    const perf::BranchEntry branches[] = {{0x401007, 0x401010, 0}};
    for (int i = 0; i <= samples; ++i) {
      at.time += 10;
      writer.sample(
          {.id = at, .ip = i == samples ? u64{0x7000010} : 0x401010, .branches = branches});
    }
  });
}

test::ElfBuilder usable_program(std::string_view build_id) {
  test::ElfBuilder builder;
  return builder.section(".debug_info", "x").symbol("main", 0, 1, 1).build_id(build_id);
}

class FindProgram : public testing::Test {
 protected:
  void SetUp() override { dir_.write("tiny", usable_program(tiny_id).image()); }

  std::string store(std::string_view name, const perf::test::Image& image) {
    dir_.write(name, {reinterpret_cast<const char*>(image.data()), image.size()});
    return dir_.file(name);
  }
  Result<std::string> find(const perf::test::Image& image) {
    auto chosen = dominant_program({store("app.perf", image)}, 1);
    if (!chosen) return std::unexpected(chosen.error());
    return chosen->file;
  }
  std::string problem(const perf::test::Image& image) {
    auto found = find(image);
    return found ? "found " + *found : found.error().message;
  }
  test::ScratchDir dir_;
};

TEST_F(FindProgram, WhereItRan) {
  EXPECT_EQ(find(recording_of(dir_.file("tiny"), tiny_id, 5)).value(), dir_.file("tiny"));
}

TEST_F(FindProgram, BesideTheRecordingWhereItIsGone) {
  EXPECT_EQ(find(recording_of("/gone/tiny", tiny_id, 5)).value(), dir_.file("tiny"));
  EXPECT_EQ(find(recording_of("/gone/tiny", "", 5)).value(), dir_.file("tiny"));
}

TEST_F(FindProgram, InTheCacheOfPerfWhereItWasBuiltAnew) {
  std::string_view other = "another id, 20 bytes";
  auto image = recording_of(dir_.file("tiny"), other, 5);
  ASSERT_EQ(setenv("HOME", dir_.path().c_str(), 1), 0);
  auto missing = find(image);
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().message.find("which has been built anew since"), std::string::npos)
      << missing.error().message;

  std::string hex = object::hex({reinterpret_cast<const u8*>(other.data()), other.size()});
  auto folder = fmt::format(".debug/.build-id/{}/{}", hex.substr(0, 2), hex.substr(2));
  std::filesystem::create_directories(dir_.file(folder));
  dir_.write(folder + "/elf", usable_program(other).image());
  EXPECT_EQ(find(image).value(), dir_.file(folder + "/elf"));
}

TEST_F(FindProgram, OfAllRecordingsTogether) {
  // The first has more samples in another file, both together have not.
  auto first = store("1.perf", recording_of("/lib/other.so", "", 3, dir_.file("tiny")));
  auto second = store("2.perf", recording_of(dir_.file("tiny"), "", 9));
  EXPECT_EQ(dominant_program({first, second}, 1).value().file, dir_.file("tiny"));
}

TEST_F(FindProgram, PassesOverWhatNoProfileCanBeMadeOf) {
  dir_.write("stripped.so", test::ElfBuilder().section(".debug_info", "x").image());
  dir_.write("plain.so", test::tiny_program().image());
  for (auto [name, why] :
       {std::pair{"stripped.so", "which is stripped"},
        std::pair{"plain.so", "which has neither debug information nor probes"}}) {
    auto recording = store("app.perf", recording_of(dir_.file(name), "", 0, dir_.file("tiny")));
    auto more = store("more.perf", recording_of(dir_.file(name), "", 3, dir_.file(name)));
    auto chosen = dominant_program({recording, more}, 1);
    ASSERT_TRUE(chosen.has_value()) << chosen.error().message;
    EXPECT_EQ(chosen->file, dir_.file("tiny"));
    EXPECT_EQ(chosen->passed_over,
              fmt::format("80.0 % of 5 samples are in {}, {}", dir_.file(name), why));
    auto only = problem(recording_of(dir_.file(name), "", 3, "/gone"));
    auto said =
        std::string(why) + "; 25.0 % in /gone, which is not here; give a file of that build";
    EXPECT_NE(only.find(said), std::string::npos) << only;
  }
}

TEST_F(FindProgram, TalksOfTheProgramRatherThanOfALibraryOfTheSystem) {
  dir_.write("stripped", test::ElfBuilder().section(".debug_info", "x").image());
  const std::string library = "/usr/lib/nowhere/libbusy.so.6";
  // Five samples in the library, one in the program.
  auto lost = problem(recording_of(library, "", 5, dir_.file("stripped")));
  EXPECT_NE(lost.find(fmt::format("16.7 % of 6 samples are in {}, which is stripped",
                                  dir_.file("stripped"))),
            std::string::npos)
      << lost;
  auto found =
      dominant_program({store("app.perf", recording_of(library, "", 5, dir_.file("tiny")))}, 1);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(found->file, dir_.file("tiny"));
  EXPECT_EQ(found->passed_over, "");
  // Too little to be worth a word.
  auto hardly = problem(recording_of(library, "", 50, dir_.file("stripped")));
  EXPECT_NE(hardly.find(library + ", which is not here"), std::string::npos) << hardly;
}

TEST_F(FindProgram, KnowsCodeThatIsInNoFile) {
  for (const char* path : {"//anon", "/memfd:jit (deleted)"}) {
    auto lost = problem(recording_of(path, "", 5, "/usr/lib/libc.so.6"));
    EXPECT_NE(lost.find("which is code generated at run time"), std::string::npos) << lost;
  }
}

TEST_F(FindProgram, TakesAProgramOfTheSystemForAProgram) {
  auto lost = problem(recording_of("/usr/lib/app/nowhere", "", 5, "/usr/lib/libc.so.6"));
  EXPECT_NE(lost.find("/usr/lib/app/nowhere, which is not here"), std::string::npos) << lost;
}

TEST_F(FindProgram, PrefersTheFileOfThatBuildThatHasSymbols) {
  std::filesystem::create_directories(dir_.file("installed"));
  dir_.write("installed/tiny", test::ElfBuilder().build_id(std::string(tiny_id)).image());
  EXPECT_EQ(find(recording_of(dir_.file("installed/tiny"), tiny_id, 5)).value(), dir_.file("tiny"));
}

TEST_F(FindProgram, SaysThatARecordingIsEmpty) {
  auto empty = perf::test::recording({perf::test::branch_event()}, [](perf::Writer&) {});
  EXPECT_NE(problem(empty).find("there are no samples in it"), std::string::npos) << problem(empty);
}

TEST_F(FindProgram, SaysThatARecordingWasCutShort) {
  auto image = recording_of(dir_.file("tiny"), tiny_id, 5);
  image.resize(perf::test::value_at<u64>(image, perf::test::data_section) + 20);
  EXPECT_NE(problem(image).find("the recording is not whole (cut short at offset"),
            std::string::npos)
      << problem(image);
}

// Of the programs at these paths, with a dump each.
instrument::Profile counters_of(std::vector<std::string> paths, std::string_view build_id) {
  instrument::Profile profile;
  for (auto& path : paths) {
    auto& module = profile.modules.emplace_back();
    module.path = std::move(path);
    module.build_id = build_id;
    module.functions.push_back({.address = 0x1000, .size = 1, .kinds = MIP_COVERAGE});
    module.make_columns();
    module.data.dumps = 1;
  }
  return profile;
}

TEST_F(FindProgram, OfCountersItIsTheOnlyOne) {
  dir_.write("app.mip", instrument::write_profile(counters_of({"/gone/tiny"}, tiny_id)));
  auto found = dominant_program({dir_.file("app.mip")}, 1);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(found->file, dir_.file("tiny"));

  dir_.write("two.mip", instrument::write_profile(counters_of({"/a/tiny", "/b/other"}, tiny_id)));
  auto several = dominant_program({dir_.file("two.mip")}, 1);
  ASSERT_FALSE(several.has_value());
  EXPECT_EQ(several.error().exit_code, 2);
  EXPECT_NE(several.error().message.find("is of /a/tiny, /b/other: give one or several"),
            std::string::npos)
      << several.error().message;

  dir_.write("gone.mip", instrument::write_profile(counters_of({"/gone/app"}, "else")));
  auto gone = dominant_program({dir_.file("gone.mip")}, 1);
  ASSERT_FALSE(gone.has_value());
  EXPECT_NE(gone.error().message.find("it is of /gone/app, which is not here: give a file"),
            std::string::npos)
      << gone.error().message;

  auto profile = counters_of({"/gone/tiny"}, tiny_id);
  profile.modules[0].data.dumps = 0;
  dir_.write("map.mip", instrument::write_profile(profile));
  auto nothing = dominant_program({dir_.file("map.mip")}, 1);
  ASSERT_FALSE(nothing.has_value());
}

TEST_F(FindProgram, NeedsARecordingThatTells) {
  dir_.write("script", " 401010 0x401007/0x401010/P 0x401007/0x401010/P\n");
  auto text = dominant_program({dir_.file("script")}, 1);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().exit_code, 2);
  auto absent = find(recording_of("/gone/other", "", 5));
  ASSERT_FALSE(absent.has_value());
  EXPECT_NE(absent.error().message.find("which is not here"), std::string::npos);
}

}  // namespace
}  // namespace pgokit::pipeline
