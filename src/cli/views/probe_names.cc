#include "cli/views/probe_names.h"

#include "base/demangle.h"

namespace pgokit::cli {

std::string_view probe_function_name(const program::ProbeFile& file, u64 guid) {
  const auto* known = file.descriptors().find(guid);
  return known ? known->name : file.symbol_name(guid);
}

std::string shown_function(const program::ProbeFile& file, u64 guid,
                           const report::FunctionNames* names) {
  std::string_view name = probe_function_name(file, guid);
  if (name.empty()) return fmt::format("function {} without descriptor", guid);
  return names ? names->of(name) : std::string(name);
}

std::string listed_name(std::string_view name, bool mangled) {
  return mangled ? std::string(name) : plain_name(name) + dropped_suffixes(name);
}

std::string_view probe_type_name(u8 type) {
  constexpr std::string_view names[] = {
      "block",   "indirect call", "direct call", "type 3",  "type 4",  "type 5",
      "type 6",  "type 7",        "type 8",      "type 9",  "type 10", "type 11",
      "type 12", "type 13",       "type 14",     "type 15",
  };
  return names[type & 0xf];
}

std::string broken_record(const program::ProbeSection& section, u64 offset) {
  std::string place = fmt::format("offset {:#x}", offset);
  if (section.file_offset)
    place += fmt::format(" ({:#x} in the file)", section.file_offset + offset);
  return fmt::format(
      "section {} .pseudo_probe: the record at {} is cut off or broken; what follows in this "
      "section "
      "is lost",
      section.index, place);
}

Status all_read(const program::ProbeFile& file, const std::string& broken) {
  if (!broken.empty()) return fail("{}: {}", file.path(), broken);
  if (file.descriptors().truncated())
    return fail("{}: .pseudo_probe_desc is cut off or broken: some functions have no descriptor",
                file.path());
  return {};
}

}  // namespace pgokit::cli
