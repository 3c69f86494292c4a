#include "profile/section_table.h"

#include <zlib.h>

#include <algorithm>

#include "base/cursor.h"
#include "profile/extbinary.h"

namespace pgokit::profile {
namespace {

// What small streams may claim in any case, and how far others may grow: profiles do not repeat
// themselves hundreds of times, and a model of them takes many times their bytes.
constexpr u64 free_size = 2 << 20, largest_ratio = 100;

// The stream's contents, never more than `size`.
Result<std::string> decompress(Bytes stream, u64 size) {
  if (size > free_size && size / largest_ratio > stream.size())
    return fail("{} compressed bytes cannot hold {}", stream.size(), size);
  z_stream state{};
  if (inflateInit(&state) != Z_OK) return fail("zlib does not start");
  state.next_in = const_cast<Bytef*>(stream.data());
  state.avail_in = static_cast<uInt>(std::min<u64>(stream.size(), ~uInt{0}));
  std::string contents;
  int result = Z_OK;
  while (result == Z_OK && contents.size() < size) {
    size_t have = contents.size();
    size_t step = std::min<u64>(size - have, std::max<size_t>(1 << 16, have));
    contents.resize(have + step);
    state.next_out = reinterpret_cast<Bytef*>(contents.data() + have);
    state.avail_out = static_cast<uInt>(step);
    result = inflate(&state, Z_NO_FLUSH);
    contents.resize(have + step - state.avail_out);
    if (state.avail_out == step) break;
  }
  auto used = static_cast<size_t>(state.next_in - stream.data());
  inflateEnd(&state);
  if (contents.size() != size || (result != Z_OK && result != Z_STREAM_END))
    return fail("its compressed bytes are broken at {:#x} of the stream", used);
  return contents;
}

}  // namespace

Result<std::vector<SectionInfo>> read_section_table(Bytes file) {
  struct Row {
    Le<u64> type, flags, offset, size;
  };
  Cursor in(file);
  if (in.uleb128() != magic_of_extbinary || !in.ok())
    return fail("is no extensible binary profile");
  u64 version = in.uleb128();
  auto rows = in.array<Row>(in.get<u64>());
  if (!in.ok()) return fail("offset 0xa: the table of sections ends past the file");
  if (version != format_version)
    return fail("offset 0x9: extensible binary profile of version {}; only {} is known", version,
                format_version);
  std::vector<SectionInfo> sections;
  for (const auto& row : rows) sections.push_back({row.type, row.flags, row.offset, row.size});
  return sections;
}

Result<std::string> inflate_section(Bytes section) {
  Cursor in(section);
  u64 size = in.uleb128();
  Bytes stream = in.bytes(in.uleb128());
  if (!in.ok() || !in.at_end()) return fail("its compressed bytes have another size");
  return decompress(stream, size);
}

}  // namespace pgokit::profile
