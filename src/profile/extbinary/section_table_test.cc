#include "profile/extbinary/section_table.h"

#include <gmock/gmock.h>

#include "profile/extbinary_format.h"

namespace pgokit::profile {
namespace {

using Sections = std::vector<SectionInfo>;

SectionInfo section(u64 type, u64 flags, u64 size = 1) { return {type, flags, 64, size}; }

TEST(ReadFlags, AddsUpThoseOfAllSections) {
  auto file = read_flags(Sections{
      section(functions_section, section_flat), section(name_table_section, names_fixed_md5),
      section(metadata_section, metadata_probes), section(summary_section, summary_has_vtables),
      section(summary_section, summary_partial)});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->flags, (Flags{.probe_based = true, .partial = true}));
  EXPECT_TRUE(file->md5_names && file->vtables);
  EXPECT_EQ(file->metadata, (MetadataParts{.checksums = true, .inlinees = true}));
}

TEST(ReadFlags, ContextSensitiveMetadataHasNoInlinees) {
  auto file = read_flags(Sections{section(metadata_section, metadata_attributes),
                                  section(summary_section, summary_context_sensitive)});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->metadata, (MetadataParts{.attributes = true}));
}

TEST(ReadFlags, MetadataIsOfOneKind) {
  auto one = section(metadata_section, metadata_probes);
  auto other = section(metadata_section, metadata_attributes);
  auto file = read_flags(Sections{one, other});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message,
            "section 'function metadata' (offset 0x40): of another kind than one before");
  EXPECT_TRUE(read_flags(Sections{one, one}));
  other.size = 0;  // nothing is read of it
  EXPECT_TRUE(read_flags(Sections{other, one, other}));
}

}  // namespace
}  // namespace pgokit::profile
