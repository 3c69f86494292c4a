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

ProgramMaps::ProgramMaps(const object::File& program)
    : fixed_(program.kind() == object::Kind::program) {
  for (const auto& segment : program.segments())
    if (segment.executable) code_.push_back(segment);
}

// Where the linker put the first byte of a mapping of the program; nothing if no code is in it. The
// kernel maps whole pages, of 4, 16 or 64 KiB, so a mapping can begin in front of its segment and
// hold a part of others: then it is the segment that lies at the distance from the rest of the
// program that it was linked at.
std::optional<u64> ProgramMaps::linked_address(const Mapping& mapping, const Layout* before) const {
  auto moved_as_the_rest = [&](u64 address) {
    u64 distance = mapping.start - address;
    if (fixed_ && distance == 0) return true;
    return before && std::ranges::any_of(*before, [&](const MappedCode& piece) {
             return piece.start - piece.target == distance;
           });
  };
  std::optional<u64> found;
  bool found_begins_in_it = false;
  for (const auto& segment : code_) {
    u64 end = segment.offset + segment.file_size;
    bool reaches = mapping.file_offset >= segment.offset ||
                   segment.offset - mapping.file_offset < mapping.size;
    if (mapping.file_offset >= end || !reaches) continue;
    u64 address = mapping.file_offset - segment.offset + segment.address;
    if (moved_as_the_rest(address)) return address;
    bool begins_in_it = mapping.file_offset >= (segment.offset & ~page_mask);
    if (found && (found_begins_in_it || !begins_in_it)) continue;
    found = address;
    found_begins_in_it = begins_in_it;
  }
  return found;
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
  auto target = linked_address(mapping, before);
  if (target) layout->push_back({mapping.start, mapping.size, *target});
  if (layout->size() > most_pieces) layout->erase(layout->begin());
  if (target || before) set(pid, time, std::move(layout));
  return target.has_value();
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

BinaryAddr ProgramMaps::address_at(FileOffset offset) const {
  for (const auto& segment : code_)
    if (offset.value - segment.offset < segment.file_size)
      return {offset.value - segment.offset + segment.address};
  return external;
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
