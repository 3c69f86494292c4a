#include "samples/load_address.h"

#include <algorithm>

#include "perf/build_ids.h"

namespace pgokit::samples {
namespace {

bool reaches(const perf::MmapLine& event, const program::TextSegment& segment) {
  if (event.file_offset >= segment.file_end) return false;
  return event.file_offset >= segment.file_offset ||
         segment.file_offset - event.file_offset < event.size;
}

// Whether one of the segments in the event's part of the file is where `base` puts it.
bool fits(const perf::MmapLine& event, const program::Program& program, u64 base) {
  const auto& segments = program.text_segments();
  return std::ranges::any_of(segments, [&](const program::TextSegment& segment) {
    u64 linked = segment.address - segments[0].address + event.file_offset - segment.file_offset;
    return reaches(event, segment) && event.start - base == linked;
  });
}

// One mapping event of the program.
Status apply(const perf::MmapLine& event, const program::Program& program, LoadAddress& address) {
  const auto& segments = program.text_segments();
  if (event.start == address.base) {
    address.mapped = true;
    return {};
  }
  if (auto start = start_of_text(event, program)) {
    // A page of 64 KiB can hold the beginnings of two segments.
    bool other = event.start != *start && fits(event, program, address.base);
    address = {other ? address.base : *start, true};
    return {};
  }
  if (fits(event, program, address.base)) return {};
  auto next = std::ranges::find_if(
      segments, [&](const auto& segment) { return segment.file_offset > event.file_offset; });
  if (next == segments.begin())
    return fail("mapping event with an offset ({:#x}) in front of the code", event.file_offset);
  const auto& segment = *std::prev(next);
  if (segment.file_offset == event.file_offset) {
    if (segment.address - segments[0].address != event.start - address.base)
      return fail("Executable segments not loaded consecutively");
  } else if (event.file_offset - segments[0].file_offset != event.start - address.base) {
    return fail("Segment not loaded by consecutive mmaps");
  }
  return {};
}

}  // namespace

std::optional<u64> start_of_text(const perf::MmapLine& event, const program::Program& program) {
  const auto& first = program.text_segments()[0];
  if (event.file_offset == first.file_offset) return event.start;
  if (event.file_offset > first.file_offset || !reaches(event, first)) return std::nullopt;
  return event.start + (first.file_offset - event.file_offset);
}

LoadAddress LoadHistory::at(const char* place) const {
  auto next = std::ranges::upper_bound(changes, place, {}, &Change::at);
  return next == changes.begin() ? initial : std::prev(next)->address;
}

LoadTracker::LoadTracker(const program::Program& program, std::optional<u32> pid, bool kernel)
    : program_(program), pid_(pid), kernel_(kernel) {
  address_.base = program.text_base().value;
}

bool LoadTracker::concerns_us(const perf::MmapLine& event) const {
  bool ours = kernel_ ? perf::is_kernel(event.path)
                      : event.path.substr(event.path.rfind('/') + 1) == program_.name();
  if (!ours) return false;
  return !pid_ || event.pid == static_cast<i64>(*pid_);
}

LoadHistory LoadTracker::history_of(size_t chunk, std::string_view text) {
  std::vector<perf::MmapLine> found;
  u64 unparsable = 0;
  auto mmap_lines = perf::MmapLines::none;
  perf::for_each_mmap_line(text, perf::MmapRule::llvm_profgen, [&](const perf::MmapLine& event) {
    mmap_lines = perf::MmapLines::possible;
    if (!event.parsed)
      ++unparsable;
    else if (concerns_us(event))
      found.push_back(event);
  });

  std::unique_lock held(lock_);
  chunk_done_.wait(held, [&] { return chunks_done_ == chunk; });
  LoadHistory history{.initial = address_, .changes = {}, .mmap_lines = mmap_lines};
  for (const auto& event : found) {
    if (kernel_)
      address_ = {event.start, true};
    else if (status_)
      status_ = apply(event, program_, address_);
    history.changes.push_back({event.line.data(), address_});
  }
  events_ += found.size();
  unparsable_events_ += unparsable;
  ++chunks_done_;
  chunk_done_.notify_all();
  return history;
}

}  // namespace pgokit::samples
