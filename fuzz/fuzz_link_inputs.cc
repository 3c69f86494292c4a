#include <cstdlib>

#include "base/cursor.h"
#include "object/archive.h"
#include "object/bitcode.h"

using namespace pgokit;

// What a link is made of besides objects: archives, and bitcode in them or alone.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  size_t sum = 0;
  auto inside = [&](Bytes part) {
    if (!part.empty() && (part.data() < data || part.data() + part.size() > data + size)) abort();
    sum += part.size();
  };
  auto bitcode = [&](Bytes part) {
    auto status = object::each_bitcode_symbol(
        part, [&](const object::BitcodeSymbol& symbol) { inside(as_bytes(symbol.name)); });
    if (!status && status.error().message.empty()) abort();
  };
  if (object::is_archive(bytes)) {
    auto status = object::each_member(bytes, [&](const object::ArchiveMember& member) -> Status {
      inside(as_bytes(member.name));
      inside(member.contents);
      if (object::is_bitcode(member.contents)) bitcode(member.contents);
      return {};
    });
    if (!status && status.error().message.empty()) abort();
  }
  if (object::is_bitcode(bytes)) bitcode(bytes);
  return 0;
}
