#include <algorithm>

#include "dwarf/debug_info.h"
#include "dwarf/state.h"

namespace pgokit::dwarf {

FrameCursor::FrameCursor(const DebugInfo& info) : state_(info.state_.get()) {}

const FramePart& FrameCursor::at(u64 address) {
  if (address < part_.begin || address >= part_.end) fill(address);
  return part_;
}

void FrameCursor::fill(u64 address) {
  frames_.clear();
  auto narrow = [&](Range range) {
    part_.begin = std::max(part_.begin, range.begin);
    part_.end = std::min(part_.end, range.end);
  };
  auto owner = state_->ranges.find(address);
  part_ = {owner.range.begin, owner.range.end, {}, owner.unit, 0};
  if (owner.unit == UnitRanges::none) return;

  const InlineIndex& inlines = state_->inlines(owner.unit);
  auto scopes = inlines.find(address);
  narrow(scopes.range);
  if (scopes.scope == InlineIndex::none) return;
  part_.scope = u64{owner.unit} << 32 | scopes.scope;

  Frame frame;
  if (const LineTable* lines = state_->lines(owner.unit)) {
    auto place = lines->find(address);
    narrow(place.range);
    if (place.row) {
      frame.line = place.row->line;
      frame.column = place.row->column;
      frame.discriminator = place.row->discriminator;
      frame.file = place.row->file;
    }
  }
  for (u32 index = scopes.scope; index != InlineIndex::none;) {
    const auto& scope = inlines.scope(index);
    const auto& function = inlines.function(scope);
    frame.function = function.name;
    frame.start_line = function.line;
    frames_.push_back(frame);
    frame = {};
    frame.line = scope.call_line;
    frame.column = scope.call_column;
    frame.discriminator = scope.call_discriminator;
    frame.file = scope.call_file;
    index = scope.parent;
  }
  std::ranges::reverse(frames_);
  auto nameless = std::ranges::find_if(frames_, [](const Frame& f) { return f.function.empty(); });
  frames_.erase(nameless, frames_.end());
  part_.frames = frames_;
}

}  // namespace pgokit::dwarf
