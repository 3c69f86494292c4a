#include "base/unpack.h"

#include <gmock/gmock.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>

#include "base/cursor.h"
#include "base/file.h"

namespace pgokit {
namespace {

using testing::HasSubstr;

std::string packed(std::string_view text, Packing packing) {
  std::string out(text.size() + text.size() / 100 + 1000, '\0');
  auto* to = reinterpret_cast<u8*>(out.data());
  if (packing == Packing::zstd) {
    out.resize(ZSTD_compress(to, out.size(), text.data(), text.size(), 3));
  } else if (packing == Packing::xz) {
    size_t size = 0;
    const auto* from = reinterpret_cast<const u8*>(text.data());
    lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, from, text.size(), to, &size, out.size());
    out.resize(size);
  } else {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + (packing == Packing::gzip ? 16 : 0), 8,
                 Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<u8*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = to;
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
  }
  return out;
}

Result<std::string> unpacked(std::string_view bytes, Packing packing, u64 most = 1 << 30) {
  std::string text;
  TRY(unpack(as_bytes(bytes), packing, most, [&](Bytes piece) -> Status {
    text += as_text(piece);
    return {};
  }));
  return text;
}

std::string numbers(size_t size) {
  std::string text;
  for (u64 i = 0; text.size() < size; ++i) text += fmt::format("{} ", i * i);
  return text;
}

constexpr Packing all[] = {Packing::gzip, Packing::zlib, Packing::zstd, Packing::xz};

TEST(Unpack, GivesWhatWasPacked) {
  for (auto packing : all)
    for (size_t size : {0, 1, 1000, 2'000'000}) {
      auto text = numbers(size);
      auto bytes = packed(text, packing);
      if (packing != Packing::zlib) {
        EXPECT_EQ(packing_of(as_bytes(bytes)), packing);
      }
      EXPECT_EQ(unpacked(bytes, packing), text) << packing_name(packing);
      EXPECT_EQ(unpacked(bytes + bytes, packing), text + text) << "streams behind each other";
      EXPECT_EQ(unpacked(bytes + std::string(512, '\0'), packing), text) << "padded";
      EXPECT_EQ(unpacked(bytes, packing, text.size()), text) << "no more than may be";
    }
  EXPECT_EQ(packing_of(as_bytes("main:1:1\n")), std::nullopt);
  EXPECT_EQ(packing_of({}), std::nullopt);
}

TEST(Unpack, DamageIsAnError) {
  auto text = numbers(300'000);
  for (auto packing : all) {
    auto bytes = packed(text, packing);
    auto name = std::string(packing_name(packing));
    EXPECT_EQ(unpacked(bytes.substr(0, bytes.size() / 2), packing).error().message,
              fmt::format("its {} data is cut short after {} bytes", name, bytes.size() / 2));
    EXPECT_THAT(unpacked(bytes + "junk", packing).error().message, HasSubstr(name + " data is "));
    for (size_t at = 0; at < bytes.size(); at += bytes.size() / 60) {
      auto broken = bytes;
      broken[at] = static_cast<char>(broken[at] ^ 0x15);
      [[maybe_unused]] auto result = unpacked(broken, packing);
    }
  }
}

TEST(Unpack, NothingGrowsWithoutBounds) {
  std::string zeros(8 << 20, '\0');
  for (auto packing : all) {
    auto bytes = packed(zeros, packing);
    EXPECT_THAT(unpacked(bytes, packing, 1 << 20).error().message,
                HasSubstr("goes on after 1048576 bytes"));
    EXPECT_THAT(unpack_section(as_bytes(bytes), packing, u64{1} << 40).error().message,
                HasSubstr("cannot hold"));
    EXPECT_EQ(unpack_section(as_bytes(bytes), packing, zeros.size()), zeros);
    EXPECT_THAT(unpack_section(as_bytes(bytes), packing, zeros.size() + 1).error().message,
                HasSubstr("8388608 bytes in place of 8388609"));
  }
  EXPECT_EQ(file_limits.allowed(0), file_limits.free);
  EXPECT_EQ(file_limits.allowed(~u64{0}), file_limits.most);
}

TEST(Unpack, FilesAreWhatTheyHold) {
  namespace fs = std::filesystem;
  auto path = fs::temp_directory_path() / fmt::format("pgokit-unpack-{}", getpid());
  auto text = numbers(70 << 20);  // too much to be held in memory
  for (auto packing : {Packing::gzip, Packing::zstd, Packing::xz})
    for (size_t size : {size_t{5000}, packing == Packing::zstd ? text.size() : 500'000}) {
      auto part = std::string_view(text).substr(0, size);
      std::ofstream(path) << packed(part, packing);
      auto file = MappedFile::open(path);
      ASSERT_TRUE(file) << file.error().message;
      auto moved = *std::move(file);
      release(moved.bytes());
      EXPECT_TRUE(as_text(moved.bytes()) == part) << packing_name(packing);
    }
  std::ofstream(path) << packed(numbers(500'000), Packing::gzip).substr(0, 9999);
  EXPECT_EQ(MappedFile::open(path).error().message,
            path.string() + ": its gzip data is cut short after 9999 bytes");
  setenv("TMPDIR", "/nowhere", 1);
  std::ofstream(path) << packed(text, Packing::zstd);
  EXPECT_THAT(MappedFile::open(path).error().message,
              HasSubstr("cannot be unpacked in /nowhere: No such file"));
  unsetenv("TMPDIR");
  fs::remove(path);
}

}  // namespace
}  // namespace pgokit
