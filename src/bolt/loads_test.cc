#include "bolt/loads.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "bolt/fdata.h"
#include "test/support/elf_builder.h"

namespace pgokit::bolt {
namespace {

// Two local tables of one name in data, one of them with a part that has a symbol of its own.
struct Data {
  std::string image =
      test::ElfBuilder()
          .segment(PF_R | PF_X, 0, 0x401000, 0x3000)
          .section(".text", "\x90\xc3", {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x401000})
          .section(".data", std::string(0x100, 0), {.flags = SHF_ALLOC, .address = 0x402000})
          .symbol("f", 0x401000, 2, 1)
          .symbol("table", 0x402010, 0x20, 2, STT_OBJECT)
          .symbol("part", 0x402018, 4, 2, STT_OBJECT)
          .symbol("mark", 0x402080, 0, 2, STT_OBJECT)
          .image();
  object::File file = *object::File::parse(as_bytes(image));
  Functions functions = Functions::of(file);
  DataObjects objects{file, functions};

  std::string name_at(u64 address) const {
    u32 object = objects.index_of(address);
    if (object == DataObjects::none) return "none";
    return fmt::format("{}+{:x}", objects.name(object), address - objects.address(object));
  }
};

TEST(BoltData, IsSymbolsAndWhatLiesBetweenThem) {
  Data data;
  EXPECT_EQ(data.name_at(0x401fff), "none");
  EXPECT_EQ(data.name_at(0x402000), "HOLEat0x402000+0");
  EXPECT_EQ(data.name_at(0x40200f), "HOLEat0x402000+f");
  EXPECT_EQ(data.name_at(0x402010), "table+0");
  EXPECT_EQ(data.name_at(0x40201b), "part+3");
  EXPECT_EQ(data.name_at(0x40201c), "table+c");
  EXPECT_EQ(data.name_at(0x402030), "HOLEat0x402030+0");
  EXPECT_EQ(data.name_at(0x4020ff), "mark+7f");
  EXPECT_EQ(data.name_at(0x402100), "none");
}

TEST(BoltLoads, AreAddedUpByPlaces) {
  Data data;
  auto rows = load_profile(data.functions, data.objects,
                           {{{0x401000}, {0x40201c}, 2},
                            {{0x401000}, {0x402011}, 1},
                            {{0x401000}, {0x40201c}, 3},
                            {{0x500000}, {0x40201c}, 1},
                            {{0x401000}, {0x500000}, 1}});
  std::string text;
  write_fdata(rows, data.functions, data.objects, [&](std::string_view part) { text += part; });
  EXPECT_EQ(text, "4 f 0 4 table 1 1\n4 f 0 4 table c 5\n");
}

}  // namespace
}  // namespace pgokit::bolt
