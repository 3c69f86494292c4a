#include "object/strip.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>

#include "base/cursor.h"
#include "base/file.h"
#include "object/file.h"
#include "test/support/shell.h"

namespace pgokit::object {
namespace {

using testing::HasSubstr;

std::string contents_of(const std::string& path) {
  auto file = MappedFile::open(path);
  return file ? std::string(as_text(file->bytes())) : std::string();
}

// The programs of the machine, however they were linked.
TEST(Strip, WritesWhatLlvmStripDoes) {
  if (!test::has_program("llvm-strip-22")) GTEST_SKIP() << "llvm-strip-22 is not installed";
  test::ScratchDir dir;
  u32 compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/bin")) {
    if (compared == 100) break;
    if (!entry.is_regular_file() || entry.file_size() > 1 << 20) continue;
    const std::string image = contents_of(entry.path());
    if (!image.starts_with(ELFMAG)) continue;
    const std::string out = fmt::format("{}/theirs", dir.path());
    auto command = fmt::format("llvm-strip-22 '{}' -o {} 2>&1", entry.path().string(), out);
    if (test::run(command).status != 0) continue;
    auto ours = strip(as_bytes(image));
    ASSERT_TRUE(ours) << entry.path() << ": " << ours.error().message;
    EXPECT_TRUE(*ours == contents_of(out)) << entry.path();
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(Strip, RefusesWhatIsNoProgram) {
  EXPECT_THAT(strip({}).error().message, HasSubstr("not a program"));
  EXPECT_THAT(strip(as_bytes("\x7f"
                             "ELF and more text than a header has, 64 bytes or so of it"))
                  .error()
                  .message,
              HasSubstr("not a"));
  auto self = contents_of("/proc/self/exe");
  ASSERT_GT(self.size(), sizeof(Elf64_Ehdr));
  auto* header = reinterpret_cast<Elf64_Ehdr*>(self.data());
  header->e_type = ET_REL;
  EXPECT_THAT(strip(as_bytes(self)).error().message, HasSubstr("not a linked program"));
}

// Whatever is cut off or overwritten is an error or a file of about that size.
TEST(Strip, SurvivesDamage) {
  const auto image = contents_of("/bin/true");
  if (!image.starts_with(ELFMAG) || !strip(as_bytes(image))) GTEST_SKIP() << "no /bin/true";
  for (size_t size = 0; size < image.size(); size += 997)
    EXPECT_FALSE(strip(as_bytes(std::string_view(image).substr(0, size)))) << size;
  auto* header = reinterpret_cast<const Elf64_Ehdr*>(image.data());
  for (size_t at : {u64{0}, u64{sizeof(Elf64_Ehdr)}, header->e_shoff})
    for (size_t i = at; i < std::min(at + 1024, image.size()); ++i)
      for (char byte : {'\x01', '\x7f', '\xff'}) {
        auto damaged = image;
        damaged[i] = byte;
        if (auto stripped = strip(as_bytes(damaged)); stripped)
          EXPECT_LE(stripped->size(), 3 * image.size());
      }
}

}  // namespace
}  // namespace pgokit::object
