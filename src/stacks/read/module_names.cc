#include "stacks/read/module_names.h"

#include <algorithm>

#include "stacks/read/symbols.h"

namespace pgokit::stacks {
namespace {

// Of the code that was hit.
void set_range(Module& module, const ModuleFile& file, u64 offset) {
  const auto* segment = file.segment_at(offset);
  if (!segment) return;
  u64 end = segment->address + segment->file_size;
  if (module.end == 0) module.start = segment->address, module.file_offset = segment->offset;
  if (end > module.end) module.end = end;
}

void name_module(std::span<Location> locations, ModuleFile* file, Stacks& stacks) {
  auto& module = stacks.modules[locations.front().module];
  auto nameless = stacks.names.intern("");
  for (auto& location : locations) {
    location.first_frame = static_cast<u32>(stacks.frames.size());
    std::optional<u64> address;
    if (file && location.code == Code::file) address = file->linked_address(location.address);
    if (address) {
      set_range(module, *file, location.address);
      location.address = *address;
      file->add_frames(*address, stacks);
    } else {
      stacks.frames.push_back({nameless, nameless, 0, 0});
    }
    location.frames = static_cast<u32>(stacks.frames.size() - location.first_frame);
  }
}

}  // namespace

std::vector<std::string> name_locations(Stacks& stacks, const ReadOptions& options) {
  std::vector<std::string> nameless;
  auto& all = stacks.locations;
  for (size_t begin = 0, end; begin < all.size(); begin = end) {
    auto in_module = [&](const Location& at) { return at.module == all[begin].module; };
    end = static_cast<size_t>(
        std::find_if_not(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(), in_module) -
        all.begin());
    const auto& module = stacks.modules[all[begin].module];
    auto file = ModuleFile::find(module, options);
    if (module.path.starts_with('/') && (!file || !file->has_names()) &&
        all[begin].code == Code::file)
      nameless.push_back(module.path);
    name_module(std::span(all).subspan(begin, end - begin), file.get(), stacks);
  }
  return nameless;
}

}  // namespace pgokit::stacks
