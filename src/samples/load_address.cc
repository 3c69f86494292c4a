#include "samples/load_address.h"

#include <algorithm>

namespace pgokit::samples {
namespace {

// One mapping event of the program.
Status apply(const perf::MmapLine& event, const binary::Program& program, LoadAddress& address) {
  const auto& segments = program.text_segments();
  if (event.start == address.base) {
    address.mapped = true;
    return {};
  }
  if (event.file_offset == segments[0].file_offset) {
    address = {event.start, true};
    return {};
  }
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

LoadAddress LoadHistory::at(const char* place) const {
  auto next = std::ranges::upper_bound(changes, place, {}, &LoadChange::at);
  return next == changes.begin() ? initial : std::prev(next)->address;
}

Result<LoadHistory> read_load_history(std::string_view text, const binary::Program& program,
                                      std::optional<u32> pid) {
  LoadHistory history;
  history.initial.base = program.text_base().value;
  LoadAddress address = history.initial;
  Status status;
  perf::for_each_mmap_line(text, [&](const perf::MmapLine& event) {
    if (!status) return;
    if (!event.parsed) return void(++history.unparsable_events);
    if (event.path.substr(event.path.rfind('/') + 1) != program.name()) return;
    if (pid && event.pid != static_cast<i64>(*pid)) return;
    ++history.events;
    status = apply(event, program, address);
    history.changes.push_back({event.line.data(), address});
  });
  if (!status) return std::unexpected(std::move(status).error());
  return history;
}

}  // namespace pgokit::samples
