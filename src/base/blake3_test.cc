#include "base/blake3.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pgokit {
namespace {

// As the test vectors of its authors have it: bytes 0 to 250, again and again.
std::string hash_of(size_t size) {
  std::vector<u8> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<u8>(i % 251);
  std::string text;
  for (u8 byte : blake3(bytes)) text += fmt::format("{:02x}", byte);
  return text;
}

TEST(Blake3, AsItsAuthorsTell) {
  EXPECT_EQ(hash_of(0), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  EXPECT_EQ(hash_of(1), "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213");
}

TEST(Blake3, ChunksAndTheirTree) {
  EXPECT_EQ(hash_of(1023), "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11");
  EXPECT_EQ(hash_of(1024), "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7");
  EXPECT_EQ(hash_of(1025), "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444");
  EXPECT_EQ(hash_of(2048), "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a");
  EXPECT_EQ(hash_of(3072), "b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2");
}

TEST(Blake3, ItsFirstBytesAsANumber) { EXPECT_EQ(blake3_u64({}), 0xa6a1f9f5b94913afu); }

}  // namespace
}  // namespace pgokit
