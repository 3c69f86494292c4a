#include <algorithm>

#include "dwarf/debug_info.h"
#include "dwarf/state.h"

namespace pgokit::dwarf {

FrameCursor::FrameCursor(const DebugInfo& info, Reading reading)
    : state_(info.state_.get()), reading_(reading) {}
FrameCursor::~FrameCursor() = default;

const FramePart& FrameCursor::at(u64 address) {
  if (address < part_.begin || address >= part_.end) fill(address);
  return part_;
}

// Finds the function at an address; without one, the part is what is between functions.
bool FrameCursor::enter_function(u64 address) {
  auto owner = state_->ranges.find(address);
  part_ = {owner.range.begin, owner.range.end, {}, owner.unit, 0};
  inlines_ = nullptr;
  scope_ = InlineIndex::none;
  inline_place_ = 0;
  if (owner.unit == UnitRanges::none) return false;
  auto found = state_->functions(owner.unit).find(address);
  begin_ = part_.begin = std::max(part_.begin, found.range.begin);
  end_ = part_.end = std::min(part_.end, found.range.end);
  if (found.kind == UnitFunctions::nothing) return false;
  bool alone = found.kind == UnitFunctions::one;
  entry_name_ = {};
  if (alone && state_->entry_names)
    entry_name_ = state_->functions(owner.unit).functions()[found.function].name;
  if (alone && reading_ == Reading::once) {
    own_inlines_ = state_->read_inlines(owner.unit, found.function);
    inlines_ = own_inlines_.get();
  } else {
    inlines_ = alone ? &state_->inlines(owner.unit, found.function) : &state_->inlines(owner.unit);
  }
  if (reading_ == Reading::kept) {
    lines_ = state_->lines(owner.unit);
  } else if (lines_unit_ != owner.unit) {
    own_lines_ = state_->shared_lines(owner.unit);
    lines_unit_ = owner.unit;
    lines_ = own_lines_.get();
  }
  return true;
}

void FrameCursor::fill(u64 address) {
  if (inlines_ && address >= begin_ && address < end_)
    part_ = {begin_, end_, {}, part_.unit, 0};
  else if (!enter_function(address))
    return;
  auto found = inlines_->find(address, inline_place_);
  part_.begin = std::max(part_.begin, found.range.begin);
  part_.end = std::min(part_.end, found.range.end);
  if (found.scope == InlineIndex::none) return;
  part_.scope = u64{part_.unit} << 40 | inlines_->scope(found.scope).entry;
  if (found.scope != scope_) enter_scope(found.scope);
  Frame unnamed;
  narrow_to_line(address, has_leaf_ ? frames_.back() : unnamed);
  part_.frames = frames_;
}

// The frames of a scope, but for where the leaf is.
void FrameCursor::enter_scope(u32 innermost) {
  scope_ = innermost;
  frames_.clear();
  Frame frame;
  for (u32 index = innermost; index != InlineIndex::none;) {
    const auto& scope = inlines_->scope(index);
    const auto& function = inlines_->function(scope);
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
  has_leaf_ = nameless == frames_.end();
  frames_.erase(nameless, frames_.end());
  if (!frames_.empty() && !entry_name_.empty()) frames_[0].function = entry_name_;
}

// Its row in the line table is all that changes within a scope.
void FrameCursor::narrow_to_line(u64 address, Frame& leaf) {
  leaf.line = leaf.column = leaf.discriminator = 0;
  leaf.file = Frame::no_file;
  if (!lines_) return;
  auto place = lines_->find(address, line_place_);
  part_.begin = std::max(part_.begin, place.range.begin);
  part_.end = std::min(part_.end, place.range.end);
  if (!place.row) return;
  leaf.line = place.row->line;
  leaf.column = place.row->column;
  leaf.discriminator = place.row->discriminator;
  leaf.file = place.row->file;
}

}  // namespace pgokit::dwarf
