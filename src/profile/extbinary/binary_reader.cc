#include "base/cursor.h"
#include "profile/extbinary/function_adder.h"
#include "profile/extbinary/section_table.h"
#include "profile/readers.h"

namespace pgokit::profile {
namespace {

ReadProfile decoded(BinaryIndex index) {
  ReadProfile result{{}, index.format, index.md5_names, index.sections, index.unknown_sections, {}};
  Profile& profile = result.profile;
  profile.flags = index.flags;
  auto tables = FileTables::take(index, profile);
  FunctionAdder adder(index, tables, {});
  for (const auto& entry : index.functions) {
    auto context = tables.context(entry, profile);
    bool fresh = !profile.find(context);
    adder.add(entry, profile.function(context), fresh);
  }
  take_symbols(index, profile.symbols);
  profile.notes = std::move(index.notes);
  profile.sort();
  return result;
}

}  // namespace

Result<ReadProfile> read_binary(Bytes bytes, const ReadOptions& options) {
  return decoded(TRY(index_binary(bytes, options)));
}

Result<ReadProfile> read_extbinary(Bytes bytes, const ReadOptions& options) {
  return decoded(TRY(index_extbinary(bytes, options)));
}

Notes read_notes_of_extbinary(Bytes bytes) {
  Notes notes;
  auto sections = read_section_table(bytes);
  if (!sections) return notes;
  for (const auto& section : *sections) {
    if (section.type != notes_section || section.offset > bytes.size() ||
        section.size > bytes.size() - section.offset)
      continue;
    Bytes contents = bytes.subspan(section.offset, section.size);
    if (!(section.flags & section_compressed)) {
      read_section_of_notes(as_text(contents), notes);
    } else if (auto inflated = inflate_section(contents)) {
      read_section_of_notes(*inflated, notes);
    }
  }
  return notes;
}

}  // namespace pgokit::profile
