#include "record/software/recording_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/file.h"
#include "perf/recording.h"
#include "test/support/elf_builder.h"

namespace pgokit::record {
namespace {

std::string temporary(std::string_view name) {
  return fmt::format("{}pgokit-recording-file-{}-{}", ::testing::TempDir(), getpid(), name);
}

void write(const std::string& path, const std::string& text) {
  auto file = OutputFile::create(path).value();
  file.write(text);
  ASSERT_TRUE(file.commit());
}

TEST(RecordingFile, KnowsBuildsOfOnePathApart) {
  auto path = temporary("data"), program = temporary("app");
  auto recording = RecordingFile::create({.path = path, .command = {"app"}}).value();
  std::vector<FileKey> files;
  perf::BranchCounts counts;
  const std::string builds[] = {"first build, 20 byte", "other build, 20 byte"};
  for (u64 inode : {10, 11, 10}) {
    write(program, test::ElfBuilder().build_id(builds[inode - 10]).image());
    Mapping mapping{.start = 0x400000,
                    .end = 0x401000,
                    .device = 8,
                    .inode = inode,
                    .readable = true,
                    .executable = true,
                    .path = program};
    recording.mapped(getpid(), getpid(), mapping);
    if (files.size() == 2) continue;
    auto number = static_cast<u32>(files.size());
    files.push_back(FileKey::of(mapping));
    counts.files.push_back({.path = program, .build_id = {}});
    counts.branches.push_back({{number, 0x10}, {number, 0x20}, 1});
  }
  recording.branch_counts(counts, files);
  ASSERT_TRUE(recording.commit());
  auto file = MappedFile::open(path).value();
  auto read = perf::Recording::open(file.bytes()).value();
  std::vector<std::string> listed, mapped, counted;
  for (const auto& one : read.features().build_ids) listed.emplace_back(as_text(one.id));
  perf::ReadCounts unreadable;
  read.for_each_other([&](const perf::Record& record) {
    perf::Mapping mapping;
    if (read.parser().mapping(record, mapping, unreadable))
      mapped.emplace_back(as_text(mapping.build_id));
  });
  auto decoded = perf::decode_branch_counts(read.features().branch_counts).value();
  for (const auto& one : decoded.files) counted.emplace_back(as_text(one.build_id));
  EXPECT_THAT(listed, testing::ElementsAre(builds[0], builds[1]));
  EXPECT_THAT(mapped, testing::ElementsAre(builds[0], builds[1], builds[0]));
  EXPECT_THAT(counted, testing::ElementsAre(builds[0], builds[1]));
  unlink(path.c_str()), unlink(program.c_str());
}

}  // namespace
}  // namespace pgokit::record
