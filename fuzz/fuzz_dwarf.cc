// Reads a program's debug information in all ways there are; a file with split units as a .dwo too.
#include <algorithm>
#include <cstdlib>

#include "dwarf/debug_info.h"
#include "dwarf/inline_index.h"
#include "dwarf/split.h"

namespace {

using namespace pgokit;
using namespace pgokit::dwarf;

// A walk over addresses may be as long as there are parts in the file: enough is enough.
constexpr size_t most_parts = 5000;

void check_part(const FramePart& part, u64 address) {
  if (address < part.begin || address >= part.end) std::abort();
  for (const auto& frame : part.frames)
    if (frame.function.empty()) std::abort();
}

void read_program(const object::File& file) {
  auto info = DebugInfo::load(file, {.path = "/nonexistent", .threads = 1});
  if (!info) return;
  (void)info->facts();
  FrameCursor cursor(*info);
  size_t parts = 0;
  for (const auto& function : info->functions()) {
    if (function.name.empty() || function.begin >= function.end) std::abort();
    for (u64 at = function.begin; at < function.end && ++parts < most_parts;) {
      const auto& part = cursor.at(at);
      check_part(part, at);
      if (!part.frames.empty()) (void)info->file_name(part, part.frames.back());
      at = part.end;
    }
  }
}

void read_split(Bytes image) {
  auto file = SplitFile::read(image);
  if (!file) return;
  for (const auto& unit : (*file)->all_units()) {
    Unit skeleton = unit;
    auto own = (*file)->find(skeleton);
    if (own) (void)InlineIndex::read(*own, (*file)->units(), own->entries, own->end);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = object::File::parse({data, size});
  if (!file) return 0;
  // What compressed sections hold is bounded by nothing here.
  for (const auto& section : file->sections())
    if (section.size > 1 << 20) return 0;
  read_program(*file);
  read_split({data, size});
  return 0;
}
