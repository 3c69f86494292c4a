#include "base/gzip.h"

#include <gtest/gtest.h>

#include <string>

#include "base/cursor.h"
#include "base/unpack.h"

namespace pgokit {
namespace {

std::string packed(std::string_view text, size_t piece) {
  std::string out;
  Gzip gzip([&](std::string_view bytes) { out += bytes; });
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    gzip.write(text.substr(0, piece));
  gzip.finish();
  return out;
}

std::string unpacked(const std::string& bytes) {
  std::string out;
  auto status = unpack(as_bytes(bytes), Packing::gzip, 1 << 30, [&](Bytes piece) {
    out += as_text(piece);
    return Status();
  });
  EXPECT_TRUE(status);
  return out;
}

TEST(Gzip, GivesWhatWasWritten) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919);
  EXPECT_EQ(unpacked(packed(text, text.size())), text);
  EXPECT_EQ(unpacked(packed(text, 1000)), text);
  EXPECT_EQ(unpacked(packed("", 1)), "");
}

TEST(Gzip, GivesTheSameBytesEachTime) {
  EXPECT_EQ(packed("abc", 1), packed("abc", 1));
  EXPECT_EQ(packing_of(as_bytes(packed("abc", 3))), Packing::gzip);
}

}  // namespace
}  // namespace pgokit
