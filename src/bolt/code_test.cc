#include "bolt/code.h"

#include <gmock/gmock.h>

#include "base/cursor.h"

namespace pgokit::bolt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

FunctionCode read(std::string_view code) {
  auto decoder = *isa::Decoder::for_machine(EM_X86_64);
  Function function;
  function.address = 0x401000;
  function.size = function.room = code.size();
  return read_code(decoder, as_bytes(code), function, true);
}

TEST(BoltCode, HasTheTargetsOfItsBranches) {
  auto code = read("\x75\x01\x90\xc3");  // jne over a nop
  EXPECT_TRUE(code.readable);
  EXPECT_THAT(code.targets, ElementsAre(3));
}

TEST(BoltCode, IsNotReadWithBranchesThatAreAlwaysShort) {
  for (std::string_view code : {"\xe3\x01\x90\xc3", "\xe2\x01\x90\xc3", "\x67\xe3\x01\x90\xc3"})
    EXPECT_FALSE(read(code).readable);
  EXPECT_TRUE(read("\xe9\xff\xff\xff\x7f").readable);
}

TEST(BoltCode, KnowsJumpsByTable) {
  std::string_view lea("\x48\x8d\x15\x00\x10\x00\x00", 7);  // lea 0x1000(%rip), %rdx
  std::string add = "\x48\x01\xd0\xff\xe0";                 // add %rdx, %rax; jmp *%rax
  std::string sum = "\x48\x8d\x04\x10\xff\xe0";             // lea (%rax,%rdx), %rax; jmp *%rax
  auto tables = read(std::string(lea) + add).tables;
  ASSERT_EQ(tables.size(), 1);
  EXPECT_EQ(tables[0].address, 0x402007);
  EXPECT_TRUE(tables[0].relative);
  EXPECT_THAT(read(std::string(lea) + sum).tables, IsEmpty());
}

}  // namespace
}  // namespace pgokit::bolt
