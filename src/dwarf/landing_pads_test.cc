#include "dwarf/landing_pads.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "base/file.h"
#include "test/support/elf_builder.h"

namespace pgokit::dwarf {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr u64 tables_at = 0x3000, code_at = 0x2000;

std::string image_of(const std::string& tables) {
  test::ElfBuilder builder;
  builder.section(".gcc_except_table", tables, {.flags = SHF_ALLOC, .address = tables_at});
  return builder.image();
}

std::vector<u64> pads_of(const std::string& tables, u64 at = tables_at) {
  auto image = image_of(tables);
  auto file = object::File::parse(as_bytes(image)).value();
  return LandingPads(file).of({code_at, 0x100, at});
}

TEST(LandingPads, AreThoseOfTheCalls) {
  // No start, no types, ULEB128: three calls, of which one has none and two have the same.
  EXPECT_THAT(pads_of("\xff\xff\x01\x0c\x00\x05\x20\x00\x05\x05\x00\x00\x10\x05\x20\x01"s),
              ElementsAre(code_at + 0x20));
  // Types behind the calls; numbers of 4 bytes; two, not in order.
  EXPECT_THAT(pads_of("\xff\x9b\x29\x03\x1a"s + "\0\0\0\0\x05\0\0\0\x90\0\0\0\x00"s +
                      "\x06\0\0\0\x05\0\0\0\x40\0\0\0\x00"s),
              ElementsAre(code_at + 0x40, code_at + 0x90));
  // Relative to another place: parts of a function that were moved away have their pads elsewhere.
  EXPECT_THAT(pads_of("\x1b\x00\x10\x00\x00\xff\x01\x04\x00\x05\x20\x00"s),
              ElementsAre(tables_at + 1 + 0x1000 + 0x20));
}

TEST(LandingPads, OfDamagedTablesAreAsManyAsCanBeRead) {
  EXPECT_THAT(pads_of("\xff\xff\x01\x0c\x00\x05\x20\x00"s), IsEmpty());
  EXPECT_THAT(pads_of("\xff\xff\x01\x05\x00\x05\x20\x00\x07"s), ElementsAre(code_at + 0x20));
  EXPECT_THAT(pads_of("\xff\xff\x0a\x04\x00\x05\x20\x00"s), IsEmpty());
  EXPECT_THAT(pads_of("\xff"s), IsEmpty());
  EXPECT_THAT(pads_of("\xff\xff\x01\x00"s, tables_at + 4), IsEmpty());
  EXPECT_THAT(pads_of("\xff\xff\x01\x00"s, 0), IsEmpty());
}

TEST(LandingPads, AreReadOnce) {
  auto image = image_of("\xff\xff\x01\x04\x00\x05\x20\x00"s);
  auto file = object::File::parse(as_bytes(image)).value();
  LandingPads pads(file);
  EXPECT_THAT(pads.of({code_at, 0x100, tables_at}), ElementsAre(code_at + 0x20));
  EXPECT_THAT(pads.of({code_at, 0x100, tables_at}), ElementsAre(code_at + 0x20));
  EXPECT_THAT(pads.of({code_at, 0x100, tables_at}), IsEmpty());
}

// Those of this program are in its code, and the one here is among them.
TEST(LandingPads, OfThisProgram) {
  auto image = MappedFile::open("/proc/self/exe").value();
  auto file = object::File::parse(image.bytes()).value();
  if (file.machine() != EM_X86_64 && file.machine() != EM_AARCH64)
    GTEST_SKIP() << "its tables are not read";
  LandingPads pads(file);
  size_t found = 0;
  for (const auto& range : frame_ranges(file))
    for (u64 address : pads.of(range)) {
      ++found;
      EXPECT_TRUE(address - range.begin < range.size) << address;
    }
  EXPECT_GT(found, 10u);
}

}  // namespace
}  // namespace pgokit::dwarf
