#include "dwarf/sections.h"

namespace pgokit::dwarf {
namespace {

Result<Bytes> load(const object::File& file, std::string_view name) {
  const auto* section = file.section(fmt::format(".debug_{}", name));
  if (!section) section = file.section(fmt::format(".zdebug_{}", name));
  if (!section) return Bytes{};
  return file.contents(*section);
}

}  // namespace

Result<Sections> Sections::of_program(const object::File& file) {
  Sections s;
  s.info = TRY(load(file, "info"));
  s.abbrev = TRY(load(file, "abbrev"));
  s.str = TRY(load(file, "str"));
  s.line_str = TRY(load(file, "line_str"));
  s.str_offsets = TRY(load(file, "str_offsets"));
  s.addr = TRY(load(file, "addr"));
  s.ranges = TRY(load(file, "ranges"));
  s.rnglists = TRY(load(file, "rnglists"));
  s.line = TRY(load(file, "line"));
  s.aranges = TRY(load(file, "aranges"));
  return s;
}

Result<Sections> Sections::of_split(const object::File& file) {
  Sections s;
  s.split = true;
  s.info = TRY(load(file, "info.dwo"));
  s.abbrev = TRY(load(file, "abbrev.dwo"));
  s.str = TRY(load(file, "str.dwo"));
  s.str_offsets = TRY(load(file, "str_offsets.dwo"));
  s.rnglists = TRY(load(file, "rnglists.dwo"));
  s.index = TRY(load(file, "cu_index"));
  return s;
}

}  // namespace pgokit::dwarf
