#include "object/bitcode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cursor.h"

namespace pgokit::object {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Bits {
 public:
  void fixed(u64 value, u32 width) {
    for (u32 i = 0; i < width; ++i, ++at_) {
      if (at_ % 8 == 0) text_ += '\0';
      if (value >> i & 1) text_.back() = static_cast<char>(text_.back() | 1 << at_ % 8);
    }
  }
  void align() {
    while (at_ % 32) fixed(0, 1);
  }
  void bytes(std::string_view more) {
    for (char c : more) fixed(static_cast<u8>(c), 8);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t at_ = 0;
};

std::string block(u32 id, std::string_view blob) {
  Bits in;
  in.fixed(2, 3), in.fixed(2, 5);  // an abbreviation of two
  in.fixed(1, 1), in.fixed(1, 8);  // literal 1
  in.fixed(0, 1), in.fixed(5, 3);  // blob
  in.fixed(4, 3);                  // a record by it
  in.fixed(blob.size() % 32 | 32, 6), in.fixed(blob.size() / 32, 6);
  in.align(), in.bytes(blob), in.align();
  Bits out;
  out.fixed(1, 2), out.fixed(id, 8), out.fixed(3, 4);
  out.align(), out.fixed(in.text().size() / 4, 32), out.bytes(in.text());
  return out.text();
}

std::string words(std::initializer_list<u32> values) {
  Bits bits;
  for (u32 value : values) bits.fixed(value, 32);
  return bits.text();
}

constexpr u32 undefined = 1 << 3, global = 1 << 10, format_specific = 1 << 11, code = 1 << 13;

std::string bitcode(u32 version = 3, u32 symbols = 4) {
  std::string table = words({version, 0, 0, 0, 0, 0, 0, 36, symbols}) +
                      words({0, 1, 0, 0, 0, global | code,
                             1, 2, 0, 0, 0, code,
                             3, 1, 0, 0, 0, global | undefined | code,
                             0, 4, 0, 0, 0, format_specific});
  return "BC\xc0\xde" + block(13, "x") + block(25, table) + block(23, "fstg");
}

std::string error_of(const std::string& bytes) {
  auto status = each_bitcode_symbol(as_bytes(bytes), [](const BitcodeSymbol&) {});
  return status ? "" : status.error().message;
}

TEST(Bitcode, SymbolsAreThoseOfItsTable) {
  std::vector<std::string> got;
  auto text = bitcode();
  ASSERT_TRUE(is_bitcode(as_bytes(text)));
  auto status = each_bitcode_symbol(as_bytes(text), [&](const BitcodeSymbol& symbol) {
    got.push_back(fmt::format("{}{}{}{}", symbol.name, symbol.is_defined ? " defined" : "",
                              symbol.is_code ? " code" : "", symbol.is_local ? " local" : ""));
  });
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_THAT(got, ElementsAre("f defined code", "st defined code local", "g code"));
}

TEST(Bitcode, BrokenOnesFail) {
  EXPECT_THAT(error_of("BC\xc0\xde"), HasSubstr("no table of symbols"));
  EXPECT_THAT(error_of("BC\xc0\xde" + block(13, "x")), HasSubstr("no table of symbols"));
  EXPECT_THAT(error_of(bitcode(4)), HasSubstr("version 4"));
  EXPECT_THAT(error_of(bitcode(3, 99)), HasSubstr("damaged"));
  auto whole = bitcode();
  EXPECT_THAT(error_of(whole.substr(0, whole.size() - 4)), HasSubstr("damaged"));
  EXPECT_THAT(error_of(whole + "\xff\xff"), HasSubstr("damaged"));
}

}  // namespace
}  // namespace pgokit::object
