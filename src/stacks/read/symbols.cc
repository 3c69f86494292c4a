#include "stacks/read/symbols.h"

#include "samples/program_match.h"
#include "samples/program_places.h"

namespace pgokit::stacks {

std::unique_ptr<ModuleFile> ModuleFile::open(const std::string& path, const std::string& build_id,
                                             bool name_is_enough) {
  auto own = samples::open_build(path, build_id, name_is_enough);
  if (!own) return nullptr;
  auto found = std::make_unique<ModuleFile>();
  found->own_ = std::move(*own);
  if (!found->file().has_symtab())
    if (auto debug = samples::open_debug_file(object::hex(found->file().build_id())))
      found->names_ = std::move(*debug);
  if (auto debug = dwarf::DebugInfo::load(found->names_file(), {.path = path})) {
    found->debug_ = std::make_unique<dwarf::DebugInfo>(std::move(*debug));
    found->cursor_ = std::make_unique<dwarf::FrameCursor>(*found->debug_);
  }
  found->symbols_.emplace(found->names_file());
  return found;
}

std::unique_ptr<ModuleFile> ModuleFile::find(const Module& module, const ReadOptions& options) {
  for (const auto& path : options.programs) {
    bool named = samples::file_name(path) == samples::file_name(module.path);
    if (named || !module.build_id.empty())
      if (auto found = open(path, module.build_id, named)) return found;
  }
  if (!module.path.starts_with('/')) return nullptr;
  for (const auto& path : samples::places_of(module.path, module.build_id, options.path))
    if (auto found = open(path, module.build_id, true)) return found;
  return nullptr;
}

const object::Segment* ModuleFile::segment_at(u64 file_offset) const {
  for (const auto& segment : file().segments())
    if (segment.executable && file_offset - segment.offset < segment.file_size) return &segment;
  return nullptr;
}

std::optional<u64> ModuleFile::linked_address(u64 file_offset) const {
  const auto* segment = segment_at(file_offset);
  if (!segment) return std::nullopt;
  return file_offset - segment->offset + segment->address;
}

void ModuleFile::add_frames(u64 address, Stacks& stacks) {
  auto& names = stacks.names;
  if (cursor_) {
    const auto& part = cursor_->at(address);
    for (const auto& frame : part.frames)
      stacks.frames.push_back({names.intern(frame.function),
                               names.intern(debug_->file_name(part, frame)), frame.line,
                               frame.start_line});
    if (!part.frames.empty()) return;
  }
  const auto* symbol = symbols_->at(address);
  stacks.frames.push_back({names.intern(symbol ? symbol->name : ""), names.intern(""), 0, 0});
}

}  // namespace pgokit::stacks
