#include "dwarf/sections.h"

#include "object/relocations.h"

namespace pgokit::dwarf {
namespace {

const object::Section* find(const object::File& file, std::string_view name) {
  const auto* section = file.section(fmt::format(".debug_{}", name));
  return section ? section : file.section(fmt::format(".zdebug_{}", name));
}

Result<Bytes> load(const object::File& file, std::string_view name) {
  const auto* section = find(file, name);
  return section ? file.contents(*section) : Bytes{};
}

// In an object, what leads to another section has no value before it is linked. (Other formats have
// the value in its place.)
Status relocate(const object::File& file, Sections& s) {
  object::Relocations relocations(file);
  object::Layout layout(file);
  auto symbols = file.symbols();
  auto apply = [&](std::string_view name, Bytes& bytes) -> Status {
    const auto* section = find(file, name);
    if (!section || !relocations.any(*section)) return {};
    s.relocated.push_back(TRY(relocations.apply(*section, layout, symbols)));
    bytes = s.relocated.back();
    return {};
  };
  TRY(apply("info", s.info));
  TRY(apply("str_offsets", s.str_offsets));
  TRY(apply("addr", s.addr));
  TRY(apply("ranges", s.ranges));
  TRY(apply("rnglists", s.rnglists));
  TRY(apply("line", s.line));
  return apply("aranges", s.aranges);
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
  if (file.is_relocatable() && file.format() == object::Format::elf) TRY(relocate(file, s));
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
