#include "profile/format.h"

#include "base/cursor.h"
#include "base/huge_pages.h"
#include "base/printable.h"
#include "profile/extbinary_format.h"
#include "profile/gcov_format.h"
#include "profile/readers.h"

namespace pgokit::profile {

std::string_view format_name(Format format) {
  switch (format) {
    case Format::text:
      return "text";
    case Format::binary:
      return "binary";
    case Format::extbinary:
      return "extbinary";
    case Format::gcov:
      return "gcov";
    case Format::compact:
      return "compact binary";
  }
  __builtin_unreachable();
}

std::string_view section_name(u64 type) {
  switch (type) {
    case summary_section:
      return "summary";
    case name_table_section:
      return "names";
    case symbol_list_section:
      return "symbol list";
    case function_offset_section:
    case composite_offset_section:
      return "function offsets";
    case metadata_section:
      return "function metadata";
    case context_table_section:
      return "contexts";
    case functions_section:
    case composite_section:
      return "functions";
    case notes_section:
      return "notes";
    default:
      return "unknown";
  }
}

// Names of damaged inputs may hold what ends a name in the file.
Status check_names(const Profile& profile, Format format) {
  std::string_view ends(format == Format::text ? "\0\n" : "\0", format == Format::text ? 2 : 1);
  for (u32 id = 0; id < profile.names.size(); ++id)
    if (auto name = profile.names.text(NameId{id}); name.find_first_of(ends) != name.npos)
      return fail("the {} form cannot hold the name '{}'{}", format_name(format),
                  printable_line(name), name.contains('\0') ? "" : ": extbinary and binary can");
  return {};
}

Result<std::string> write_profile(const Profile& profile, Format format,
                                  const WriteOptions& options) {
  TRY(check_names(profile, format));
  switch (format) {
    case Format::text:
      return write_text(profile, options);
    case Format::binary:
      return write_binary(profile);
    case Format::extbinary:
      return write_extbinary(profile, options);
    case Format::gcov:
      return write_gcov(profile, options);
    case Format::compact:
      return fail("the compact binary form is not written: take extbinary with hashed names");
  }
  __builtin_unreachable();
}

std::optional<Format> sniff(Bytes bytes) {
  Cursor in(bytes);
  u64 magic = in.uleb128();
  if (in.ok() && magic == magic_of_binary) return Format::binary;
  if (in.ok() && magic == magic_of_compact) return Format::compact;
  if (in.ok() && magic == magic_of_extbinary) return Format::extbinary;
  Cursor words(bytes);
  if (words.get<u32>() == magic_of_gcov && is_gcov_version(words.get<u32>())) return Format::gcov;
  if (looks_like_text(as_text(bytes))) return Format::text;
  return std::nullopt;
}

Result<ReadProfile> read_profile(Bytes bytes, const ReadOptions& options) {
  prefer_huge_pages(bytes.size());
  auto format = sniff(bytes);
  if (!format)
    return fail(
        "is no sample profile that pgokit knows (text, binary, compact binary, extbinary, gcov)");
  switch (*format) {
    case Format::text:
      return read_text(as_text(bytes), options);
    case Format::binary:
    case Format::compact:
      return read_binary(bytes, options);
    case Format::extbinary:
      return read_extbinary(bytes, options);
    case Format::gcov:
      return read_gcov(bytes);
  }
  __builtin_unreachable();
}

Notes read_notes(Bytes bytes) {
  auto format = sniff(bytes);
  if (format == Format::text) return read_notes_of_text(as_text(bytes));
  if (format == Format::extbinary) return read_notes_of_extbinary(bytes);
  return {};
}

Result<ReadProfile> read_profile_to_write(Bytes bytes, const ReadOptions& options) {
  auto read = TRY(read_profile(bytes, options));
  if (!read.far_line.empty())
    return fail("{}: a line of more than 16 bits, which compilers do not read", read.far_line);
  return read;
}

}  // namespace pgokit::profile
