#include <algorithm>

#include "dwarf/debug_info.h"
#include "dwarf/state.h"

namespace pgokit::dwarf {

FrameCursor::FrameCursor(const DebugInfo& info) : state_(info.state_.get()) {}

const FramePart& FrameCursor::at(u64 address) {
  if (address < part_.begin || address >= part_.end) fill(address);
  return part_;
}

// Finds the function at an address; without one, the part is what is between functions.
bool FrameCursor::enter_function(u64 address) {
  auto owner = state_->ranges.find(address);
  part_ = {owner.range.begin, owner.range.end, {}, owner.unit, 0};
  inlines_ = nullptr;
  if (owner.unit == UnitRanges::none) return false;
  auto found = state_->functions(owner.unit).find(address);
  begin_ = part_.begin = std::max(part_.begin, found.range.begin);
  end_ = part_.end = std::min(part_.end, found.range.end);
  if (found.kind == UnitFunctions::nothing) return false;
  bool alone = found.kind == UnitFunctions::one;
  inlines_ = alone ? &state_->inlines(owner.unit, found.function) : &state_->inlines(owner.unit);
  lines_ = state_->lines(owner.unit);
  return true;
}

void FrameCursor::fill(u64 address) {
  frames_.clear();
  if (inlines_ && address >= begin_ && address < end_)
    part_ = {begin_, end_, {}, part_.unit, 0};
  else if (!enter_function(address))
    return;
  auto narrow = [&](Range range) {
    part_.begin = std::max(part_.begin, range.begin);
    part_.end = std::min(part_.end, range.end);
  };
  const InlineIndex& inlines = *inlines_;
  auto scopes = inlines.find(address);
  narrow(scopes.range);
  if (scopes.scope == InlineIndex::none) return;
  part_.scope = u64{part_.unit} << 40 | inlines.scope(scopes.scope).entry;

  Frame frame;
  if (lines_) {
    auto place = lines_->find(address);
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
