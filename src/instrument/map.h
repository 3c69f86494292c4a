#pragma once

// The map of an instrumented program: which function each counter belongs to.
//
//   auto file = TRY(MappedFile::open(path));
//   if (instrument::looks_like_map_section(file.bytes())) ...
//   auto map = TRY_IN(path, instrument::read_map(path, file.bytes()));
//   use(map.module, map.facts.damaged);
//
// Read from a linked program, from its .debug file, or from the section alone (as objcopy
// --dump-section gives it, which tells no build id). Records that make no sense are skipped and
// counted, and so are those of functions that the linker dropped. The section alone of a Mach-O
// program has no addresses.
// Source of truth: runtime/mip_format.h.

#include <optional>

#include "base/result.h"
#include "instrument/module.h"
#include "object/file.h"

namespace pgokit::instrument {

struct MapFacts {
  u64 damaged = 0;            // records that were skipped
  std::string first_damage;   // "offset 0x40: ..."
  u64 dropped_by_linker = 0;  // their address is 0
};

struct ReadMap {
  Module module;  // with empty columns
  MapFacts facts;
};

bool looks_like_map_section(Bytes bytes);
// Whether it has the section.
bool has_map(const object::File& file);

// `path` is kept in the module.
Result<ReadMap> read_map(const std::string& path, Bytes bytes);
Result<ReadMap> read_map(const std::string& path, const object::File& file);
// Where the two sections lie in the program: what addresses of relative records (Mach-O) count from.
struct MapPlace {
  u64 map = 0, raw = 0;
};
// The section's bytes.
Result<ReadMap> read_map_section(Bytes section, std::optional<MapPlace> place = {});

}  // namespace pgokit::instrument
