#include "object/elf/inflate.h"

#include <elf.h>

#include <bit>
#include <cstring>

#include "base/cursor.h"
#include "base/unpack.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

namespace pgokit::object::elf {

namespace {

template <class Header>
Result<std::string> inflate(Bytes contents) {
  Cursor in(contents);
  auto header = in.get<Header>();
  if (!in.ok()) return fail("its compression header is cut short");
  if (header.ch_type == ELFCOMPRESS_ZLIB)
    return unpack_section(in.rest(), Packing::zlib, header.ch_size);
  if (header.ch_type == ELFCOMPRESS_ZSTD)
    return unpack_section(in.rest(), Packing::zstd, header.ch_size);
  return fail("unknown compression {}", header.ch_type);
}

}  // namespace

Result<std::string> inflate_section(Bytes contents, u8 address_size) {
  return address_size == 4 ? inflate<Elf32_Chdr>(contents) : inflate<Elf64_Chdr>(contents);
}

Result<std::string> inflate_zdebug(Bytes contents) {
  Cursor in(contents);
  Bytes magic = in.bytes(4);
  u64 size = std::byteswap(in.get<u64>());
  if (!in.ok() || std::memcmp(magic.data(), "ZLIB", 4) != 0)
    return fail("its compression header is damaged");
  return unpack_section(in.rest(), Packing::zlib, size);
}

}  // namespace pgokit::object::elf
