#include "samples/program_maps.h"

#include <algorithm>

namespace pgokit::samples {
namespace {

constexpr u64 page_mask = 0xfff;
// More pieces of one program at a time are not seen; a damaged recording must not eat memory.
constexpr size_t most_pieces = 32;

// What is left of `piece` in front of and behind `[start, end)`.
void cut(const MappedCode& piece, u64 start, u64 end, std::vector<MappedCode>& left) {
  u64 piece_end = piece.start + piece.size;
  if (piece_end <= start || piece.start >= end) return left.push_back(piece);
  if (piece.start < start) left.push_back({piece.start, start - piece.start, piece.target});
  if (piece_end > end) left.push_back({end, piece_end - end, piece.target + (end - piece.start)});
}

}  // namespace

ProgramMaps::ProgramMaps(const elf::File& program) {
  for (const auto& segment : program.segments())
    if (segment.is_code()) code_.push_back(segment);
}

bool ProgramMaps::map(u32 pid, u64 time, const Mapping& mapping, bool of_program) {
  const Layout* before = current(pid);
  if (!of_program && !before) return true;
  u64 end = mapping.start + mapping.size;
  if (end < mapping.start) return false;

  auto layout = std::make_shared<Layout>();
  if (before)
    for (const auto& piece : *before) cut(piece, mapping.start, end, *layout);
  if (!of_program) {
    bool same = before->size() == layout->size() &&
                std::ranges::equal(*before, *layout, {}, &MappedCode::size, &MappedCode::size);
    if (!same) set(pid, time, std::move(layout));
    return true;
  }
  bool holds_code = false;
  for (const auto& segment : code_) {
    u64 first = segment.offset & ~page_mask;
    u64 last = (segment.offset + segment.file_size + page_mask) & ~page_mask;
    if (mapping.file_offset < first || mapping.file_offset >= last) continue;
    u64 target = mapping.file_offset - segment.offset + segment.address;
    layout->push_back({mapping.start, mapping.size, target});
    holds_code = true;
    break;
  }
  if (layout->size() > most_pieces) layout->erase(layout->begin());
  if (holds_code || before) set(pid, time, std::move(layout));
  return holds_code;
}

void ProgramMaps::fork(u32 child, u32 parent, u64 time) {
  if (child == parent) return;  // a new thread
  auto found = processes_.find(parent);
  std::shared_ptr<const Layout> layout;
  if (found != processes_.end()) layout = found->second.back().layout;
  if (layout || processes_.contains(child)) set(child, time, std::move(layout));
}

void ProgramMaps::exec(u32 pid, u64 time) {
  if (current(pid)) set(pid, time, nullptr);
}

void ProgramMaps::map_kernel(u64 start) {
  // Everything keeps the distance that it was linked with; what is no code is told apart later.
  u64 first = ~u64{0}, end = 0;
  for (const auto& segment : code_) {
    first = std::min(first, segment.address & ~page_mask);
    end = std::max(end, segment.address + segment.memory_size);
  }
  kernel_ = {{start, end - std::min(first, end), first}};
}

std::vector<u32> ProgramMaps::pids() const {
  std::vector<u32> pids;
  for (const auto& [pid, history] : processes_) pids.push_back(pid);
  std::ranges::sort(pids);
  return pids;
}

const ProgramMaps::Layout* ProgramMaps::current(u32 pid) const {
  auto found = processes_.find(pid);
  return found == processes_.end() ? nullptr : found->second.back().layout.get();
}

void ProgramMaps::set(u32 pid, u64 time, std::shared_ptr<const Layout> layout) {
  if (layout && layout->empty()) layout = nullptr;
  auto& history = processes_[pid];
  if (!history.empty() && history.back().from == time)
    history.back().layout = std::move(layout);
  else
    history.push_back({time, std::move(layout)});
}

void ProgramMaps::Lookup::find(u32 pid, u64 time) {
  pid_ = pid;
  layout_ = nullptr;
  from_ = 0;
  until_ = ~u64{0};
  if (!maps_.kernel_.empty()) return void(layout_ = &maps_.kernel_);
  auto found = maps_.processes_.find(pid);
  if (found == maps_.processes_.end()) return;
  const auto& history = found->second;
  auto next = std::ranges::upper_bound(history, time, {}, &Version::from);
  if (next != history.end()) until_ = next->from;
  if (next == history.begin()) return;
  from_ = std::prev(next)->from;
  layout_ = std::prev(next)->layout.get();
}

}  // namespace pgokit::samples
