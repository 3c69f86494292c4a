#include "object/code_symbols.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "test/support/elf_builder.h"

namespace pgokit::object {
namespace {

std::string_view name_of(const Symbol* symbol) { return symbol ? symbol->name : "none"; }

TEST(CodeSymbols, OneForEachAddress) {
  std::string image = test::ElfBuilder()
                          .section(".text", "\x90\x90\x90\x90\xc3",
                                   {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000})
                          .symbol("__libc_free", 0x1000, 2, 1)
                          .symbol("free", 0x1000, 2, 1)
                          .symbol("tail", 0x1003, 0, 1)
                          .symbol("far", 0x9000, 2, 1)
                          .image();
  auto file = *File::parse(as_bytes(image));
  CodeSymbols symbols(file);
  EXPECT_EQ(name_of(symbols.starting_at(0x1000)), "free");
  EXPECT_EQ(name_of(symbols.at(0x1001)), "free");
  EXPECT_EQ(name_of(symbols.starting_at(0x1001)), "none");
  EXPECT_EQ(name_of(symbols.at(0x1002)), "none");  // behind its end
  EXPECT_EQ(name_of(symbols.at(0x1004)), "tail");  // without a size it reaches to the end
  EXPECT_EQ(name_of(symbols.at(0x1005)), "none");
  EXPECT_EQ(name_of(symbols.at(0x9001)), "none");  // its section ends before it
  EXPECT_EQ(name_of(symbols.at(0)), "none");
}

TEST(CodeSymbols, NoneOfAFileWithoutSymbols) {
  auto image = test::ElfBuilder().section(".data", "x", {.flags = SHF_ALLOC}).image();
  auto file = *File::parse(as_bytes(image));
  EXPECT_TRUE(CodeSymbols(file).empty());
}

TEST(CodeSymbols, VersionsAreNoPartOfNames) {
  EXPECT_EQ(without_version("memcpy@GLIBC_2.2.5"), "memcpy");
  EXPECT_EQ(without_version("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(without_version("memcpy"), "memcpy");
  EXPECT_EQ(without_version("@"), "@");
  EXPECT_EQ(without_version(""), "");
}

}  // namespace
}  // namespace pgokit::object
