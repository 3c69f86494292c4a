#include <fmt/format.h>

#include "cli/views/llvm_dump.h"
#include "profile/extbinary_format.h"

namespace pgokit::cli {
namespace {

using namespace profile;

struct FlagName {
  u64 section;  // 0: any
  u64 flag;
  std::string_view name;
};
constexpr FlagName flag_names[] = {
    {0, section_compressed, "compressed"},
    {0, section_flat, "flat"},
    {name_table_section, names_fixed_md5, "fixlenmd5"},
    {name_table_section, names_md5, "md5"},
    {name_table_section, names_have_unique_suffix, "uniq"},
    {summary_section, summary_partial, "partial"},
    {summary_section, summary_context_sensitive, "context"},
    {summary_section, summary_pre_inlined, "preInlined"},
    {summary_section, summary_fs_discriminators, "fs-discriminator"},
    {summary_section, summary_has_vtables, "vtable-type-prof"},
    {function_offset_section, offsets_ordered, "ordered"},
    {metadata_section, metadata_probes, "probe"},
    {metadata_section, metadata_attributes, "attr"},
};

std::string_view llvm_section_name(u64 type) {
  switch (type) {
    case summary_section:
      return "ProfileSummarySection";
    case name_table_section:
      return "NameTableSection";
    case symbol_list_section:
      return "ProfileSymbolListSection";
    case function_offset_section:
      return "FuncOffsetTableSection";
    case metadata_section:
      return "FunctionMetadata";
    case context_table_section:
      return "CSNameTableSection";
    case composite_offset_section:
      return "CompositeFuncOffsetTableSection";
    case functions_section:
      return "LBRProfileSection";
    case composite_section:
      return "CompositeProfileSection";
    default:
      return "UnknownSection";
  }
}

}  // namespace

std::string section_flags(const SectionInfo& section) {
  std::string text;
  bool fixed = section.type == name_table_section && (section.flags & names_fixed_md5);
  for (const auto& [type, flag, name] : flag_names) {
    bool told = fixed && flag == names_md5 && type == name_table_section;
    if ((type != 0 && type != section.type) || !(section.flags & flag) || told) continue;
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

std::string dump_sections(const std::vector<SectionInfo>& sections, u64 file_size) {
  std::string text;
  u64 sum = 0;
  for (const auto& section : sections) {
    text +=
        fmt::format("{} - Offset: {}, Size: {}, Flags: {{{}}}\n", llvm_section_name(section.type),
                    section.offset, section.size, section_flags(section));
    sum += section.size;
  }
  return text + fmt::format("Header Size: {}\nTotal Sections Size: {}\nFile Size: {}\n",
                            sections.empty() ? 0 : sections.front().offset, sum, file_size);
}

}  // namespace pgokit::cli
