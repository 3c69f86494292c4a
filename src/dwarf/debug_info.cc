#include "dwarf/debug_info.h"

namespace pgokit::dwarf {

struct DebugInfo::State {};

DebugInfo::DebugInfo(std::unique_ptr<State> state) : state_(std::move(state)) {}
DebugInfo::DebugInfo(DebugInfo&&) noexcept = default;
DebugInfo& DebugInfo::operator=(DebugInfo&&) noexcept = default;
DebugInfo::~DebugInfo() = default;

Result<DebugInfo> DebugInfo::load(const elf::File& file, const Options&) {
  if (!file.section(".debug_info")) return fail("no debug information");
  return DebugInfo(std::make_unique<State>());
}

std::vector<FunctionRange> DebugInfo::functions() const { return {}; }
std::string DebugInfo::file_name(const FramePart&, const Frame&) const { return {}; }
Facts DebugInfo::facts() const { return {}; }

FrameCursor::FrameCursor(const DebugInfo& info) : state_(info.state_.get()) {}

const FramePart& FrameCursor::at(u64 address) {
  if (address < part_.begin || address >= part_.end) fill(address);
  return part_;
}

void FrameCursor::fill(u64 address) { part_ = {address, address + 1, frames_}; }

}  // namespace pgokit::dwarf
