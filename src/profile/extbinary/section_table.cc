#include "profile/extbinary/section_table.h"

#include "base/cursor.h"
#include "base/unpack.h"
#include "profile/extbinary_format.h"

namespace pgokit::profile {
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
  return unpack_section(stream, Packing::zlib, size, profile_limits);
}

}  // namespace pgokit::profile
