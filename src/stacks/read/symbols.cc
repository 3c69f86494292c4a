#include "stacks/read/symbols.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "samples/program_match.h"
#include "samples/program_places.h"

namespace pgokit::stacks {
namespace {

bool is_code(const object::Symbol& symbol, const object::File& file) {
  if (symbol.section == 0 || symbol.section >= file.sections().size() || symbol.name.empty())
    return false;
  bool named = symbol.kind == object::SymbolKind::function ||
               symbol.kind == object::SymbolKind::indirect_function ||
               symbol.kind == object::SymbolKind::none;
  return named && file.sections()[symbol.section].executable;
}

// Of several names for one address, the one that people know.
auto rank(const object::Symbol& symbol) {
  size_t underscores = std::min(symbol.name.find_first_not_of('_'), symbol.name.size());
  return std::tuple(symbol.address, symbol.kind == object::SymbolKind::none, symbol.size == 0,
                    symbol.is_local, underscores, symbol.name);
}

}  // namespace

std::unique_ptr<ModuleFile> ModuleFile::open(const std::string& path, const std::string& build_id,
                                             bool name_is_enough) {
  if (access(path.c_str(), R_OK) != 0) return nullptr;
  auto image = MappedFile::open_regular(path);
  if (!image) return nullptr;
  auto parsed = object::File::parse(image->bytes());
  if (!parsed) return nullptr;
  auto id = object::hex(parsed->build_id());
  if (!samples::is_same_build(id, build_id) || (id.empty() && !name_is_enough)) return nullptr;
  auto found = std::make_unique<ModuleFile>();
  found->image_ = std::make_unique<MappedFile>(std::move(*image));
  found->file_ = std::make_unique<object::File>(std::move(*parsed));
  if (!found->file_->has_symtab()) found->find_debug_file(id);
  if (auto debug = dwarf::DebugInfo::load(found->names_file(), {.path = path})) {
    found->debug_ = std::make_unique<dwarf::DebugInfo>(std::move(*debug));
    found->cursor_ = std::make_unique<dwarf::FrameCursor>(*found->debug_);
  }
  found->read_symbols();
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

void ModuleFile::find_debug_file(const std::string& build_id) {
  auto path = samples::debug_file_of(build_id);
  if (path.empty() || access(path.c_str(), R_OK) != 0) return;
  auto image = MappedFile::open_regular(path);
  if (!image) return;
  auto parsed = object::File::parse(image->bytes());
  if (!parsed || object::hex(parsed->build_id()) != build_id) return;
  debug_image_ = std::make_unique<MappedFile>(std::move(*image));
  debug_file_ = std::make_unique<object::File>(std::move(*parsed));
}

void ModuleFile::read_symbols() {
  symbols_ = names_file().symbols();
  std::erase_if(symbols_, [&](const auto& symbol) { return !is_code(symbol, names_file()); });
  std::ranges::sort(symbols_, {}, rank);
  auto same = std::ranges::unique(symbols_, {}, &object::Symbol::address);
  symbols_.erase(same.begin(), same.end());
}

const object::Segment* ModuleFile::segment_at(u64 file_offset) const {
  for (const auto& segment : file_->segments())
    if (segment.executable && file_offset - segment.offset < segment.file_size) return &segment;
  return nullptr;
}

std::optional<u64> ModuleFile::linked_address(u64 file_offset) const {
  const auto* segment = segment_at(file_offset);
  if (!segment) return std::nullopt;
  return file_offset - segment->offset + segment->address;
}

// One without a size, of assembly code, reaches to the next.
std::string_view ModuleFile::symbol_at(u64 address) const {
  auto next = std::ranges::upper_bound(symbols_, address, {}, &object::Symbol::address);
  if (next == symbols_.begin()) return {};
  const auto& symbol = next[-1];
  if (symbol.size != 0 && address - symbol.address >= symbol.size) return {};
  const auto& section = names_file().sections()[symbol.section];
  return address - section.address < section.size ? symbol.name : std::string_view{};
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
  stacks.frames.push_back({names.intern(symbol_at(address)), names.intern(""), 0, 0});
}

}  // namespace pgokit::stacks
