#include "profile/extbinary/section_table.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/unpack.h"
#include "profile/extbinary_format.h"

namespace pgokit::profile {
namespace {

Status check_version(u64 version) {
  constexpr std::string_view remedy =
      "write it anew with llvm-profdata merge --sample --extbinary, of the LLVM that made it, with "
      "-sample-profile-format-version=103";
  if (version < format_version)
    return fail("offset 0x9: extensible binary profile of version {}; {} to {} are known", version,
                format_version, newest_extbinary_version);
  if (version > newest_extbinary_version)
    return fail("offset 0x9: extensible binary profile of version {}; {} to {} are known: {}",
                version, format_version, newest_extbinary_version, remedy);
  return {};
}

// Newer LLVM writes it where it is asked to. Of hashes no list of names can be made.
Status check_symbol_lists(std::span<const SectionInfo> sections) {
  for (const auto& [type, flags, offset, size] : sections)
    if (type == symbol_list_section && (flags & symbols_md5))
      return fail(
          "section 'symbol list' (offset {:#x}): hashes in place of names, which are not read: "
          "write the profile without -md5-prof-sym-list",
          offset);
  return {};
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
  TRY(check_version(version));
  std::vector<SectionInfo> sections;
  for (const auto& row : rows) sections.push_back({row.type, row.flags, row.offset, row.size});
  TRY(check_symbol_lists(sections));
  return sections;
}

namespace {

void take_summary_flags(u64 bits, FileFlags& file) {
  file.flags.partial |= (bits & summary_partial) != 0;
  file.flags.context_sensitive |= (bits & summary_context_sensitive) != 0;
  file.flags.fs_discriminators |= (bits & summary_fs_discriminators) != 0;
  file.flags.pre_inlined |= (bits & summary_pre_inlined) != 0;
  file.vtables |= (bits & summary_has_vtables) != 0;
}

}  // namespace

Result<FileFlags> read_flags(std::span<const SectionInfo> sections) {
  FileFlags file;
  std::optional<MetadataParts> metadata;
  for (const auto& [type, bits, offset, size] : sections) {
    if (type == summary_section) {
      take_summary_flags(bits, file);
    } else if (type == name_table_section) {
      file.md5_names |= (bits & (names_md5 | names_fixed_md5 | names_eytzinger)) != 0;
    } else if (type == metadata_section) {
      MetadataParts parts{(bits & metadata_probes) != 0, (bits & metadata_attributes) != 0};
      file.flags.probe_based |= parts.checksums;
      if (size == 0) continue;
      if (metadata.value_or(parts) != parts)
        return fail("section 'function metadata' (offset {:#x}): of another kind than one before",
                    offset);
      metadata = parts;
    }
  }
  file.metadata = metadata.value_or(MetadataParts{});
  file.metadata.inlinees = !file.flags.context_sensitive;
  return file;
}

bool read_section_of_notes(std::string_view contents, Notes& notes) {
  if (!contents.starts_with(head_of_notes)) return false;
  contents.remove_prefix(head_of_notes.size());
  while (!contents.empty()) {
    auto line = contents.substr(0, contents.find('\n'));
    contents.remove_prefix(std::min(line.size() + 1, contents.size()));
    notes.read_line(line);
  }
  return true;
}

std::vector<u64> read_offsets(Cursor& in) {
  std::vector<u64> offsets;
  for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
    in.uleb128();
    offsets.push_back(in.uleb128());
  }
  return offsets;
}

std::vector<u64> part_ends(std::vector<u64> offsets, size_t size) {
  std::ranges::sort(offsets);
  std::vector<u64> ends;
  size_t wanted = std::max<size_t>(1 << 18, size / (8 * worker_count(0)) + 1);
  u64 begin = 0;
  for (u64 offset : offsets)
    if (offset < size && offset >= begin + wanted) ends.push_back(begin = offset);
  ends.push_back(size);
  return ends;
}

Result<std::string> inflate_section(Bytes section) {
  Cursor in(section);
  u64 size = in.uleb128();
  Bytes stream = in.bytes(in.uleb128());
  if (!in.ok() || !in.at_end()) return fail("its compressed bytes have another size");
  return unpack_section(stream, Packing::zlib, size, profile_limits);
}

}  // namespace pgokit::profile
