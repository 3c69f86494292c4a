#include "elf/inflate.h"

#include <elf.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "base/cursor.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

namespace pgokit::elf {
namespace {

constexpr size_t step = 1 << 20;

// Makes room for more output, at most `size` bytes in all; false when the claim is used up.
bool grow(std::string& text, size_t used, u64 size) {
  if (used >= size) return false;
  text.resize(std::min<u64>(size, std::max(text.size() * 2, step)));
  return true;
}

Result<std::string> inflate_zlib(Bytes packed, u64 size) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return fail("zlib does not start");
  std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  stream.next_in = const_cast<u8*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  size_t used = 0;
  int state = Z_OK;
  while (state == Z_OK && grow(text, used, size)) {
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + used);
    stream.avail_out = static_cast<uInt>(std::min<size_t>(text.size() - used, 1u << 30));
    size_t before = stream.avail_out;
    state = ::inflate(&stream, Z_NO_FLUSH);
    used += before - stream.avail_out;
    if (state == Z_OK && before == stream.avail_out) break;
  }
  if (used != size) return fail("its compressed data is damaged");
  return text;
}

Result<std::string> inflate_zstd(Bytes packed, u64 size) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::string text;
  size_t used = 0;
  while (in.pos < in.size && grow(text, used, size)) {
    ZSTD_outBuffer out{text.data(), text.size(), used};
    size_t state = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(state)) break;
    used = out.pos;
    if (state == 0) break;
  }
  if (used != size) return fail("its compressed data is damaged");
  return text;
}

}  // namespace

Result<std::string> inflate_section(Bytes contents) {
  Cursor in(contents);
  auto header = in.get<Elf64_Chdr>();
  if (!in.ok()) return fail("its compression header is cut short");
  if (header.ch_type == ELFCOMPRESS_ZLIB) return inflate_zlib(in.rest(), header.ch_size);
  if (header.ch_type == ELFCOMPRESS_ZSTD) return inflate_zstd(in.rest(), header.ch_size);
  return fail("unknown compression {}", header.ch_type);
}

Result<std::string> inflate_zdebug(Bytes contents) {
  Cursor in(contents);
  Bytes magic = in.bytes(4);
  u64 size = std::byteswap(in.get<u64>());
  if (!in.ok() || std::memcmp(magic.data(), "ZLIB", 4) != 0)
    return fail("its compression header is damaged");
  return inflate_zlib(in.rest(), size);
}

}  // namespace pgokit::elf
