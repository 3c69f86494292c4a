#include "record/system/memory_map.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/parse_number.h"

namespace pgokit::record {
namespace {

constexpr u64 distance_kept = u64{64} << 20;
constexpr u64 lowest = u64{1} << 20;
constexpr u64 highest = 0x7ffffffff000;

bool take_hex(std::string_view& line, u64& value, char end) {
  if (!take_number(line, value, 16) || !line.starts_with(end)) return false;
  line.remove_prefix(1);
  return true;
}

bool parse_line(std::string_view line, Mapping& out) {
  if (!take_hex(line, out.start, '-') || !take_hex(line, out.end, ' ') || line.size() < 5)
    return false;
  out.readable = line[0] == 'r', out.writable = line[1] == 'w', out.executable = line[2] == 'x';
  out.shared = line[3] == 's';
  line.remove_prefix(5);
  u64 major, minor;
  if (!take_hex(line, out.offset, ' ') || !take_hex(line, major, ':') ||
      !take_hex(line, minor, ' '))
    return false;
  out.device = major << 32 | minor;
  if (!take_number(line, out.inode)) return false;
  auto path = line.find_first_not_of(' ');
  if (path != line.npos) out.path = line.substr(path);
  return true;
}

// Code that a process writes through one mapping of a file and runs through another.
void mark_written(std::vector<Mapping>& list) {
  std::vector<std::pair<u64, u64>> written;
  for (const auto& mapping : list)
    if (mapping.shared && mapping.writable && mapping.inode != 0)
      written.emplace_back(mapping.device, mapping.inode);
  if (written.empty()) return;
  std::ranges::sort(written);
  for (auto& mapping : list)
    mapping.written_elsewhere =
        mapping.executable &&
        std::ranges::binary_search(written, std::pair(mapping.device, mapping.inode));
}

}  // namespace

Result<MappedFile> open_mapped(pid_t tid, const Mapping& mapping) {
  if (mapping.path.ends_with(" (deleted)"))
    return MappedFile::open_regular(
        fmt::format("/proc/{}/map_files/{:x}-{:x}", tid, mapping.start, mapping.end));
  return MappedFile::open_regular(fmt::format("/proc/{}/root{}", tid, mapping.path));
}

Result<MemoryMap> MemoryMap::read(pid_t tid) {
  auto file = TRY(MappedFile::open(fmt::format("/proc/{}/maps", tid)));
  return parse(as_text(file.bytes()));
}

MemoryMap MemoryMap::parse(std::string_view text) {
  MemoryMap map;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    Mapping mapping;
    if (parse_line(line, mapping)) map.list_.push_back(std::move(mapping));
  }
  mark_written(map.list_);
  return map;
}

const Mapping* MemoryMap::find(u64 address) const {
  auto it = std::ranges::upper_bound(list_, address, {}, &Mapping::start);
  if (it == list_.begin()) return nullptr;
  --it;
  return address < it->end ? &*it : nullptr;
}

// Below the mappings first: heaps grow upwards, and libraries leave room for what they push down.
u64 MemoryMap::hole(u64 near_to, u64 size, u64 reach) const {
  u64 low = near_to > reach + lowest ? near_to - reach : lowest;
  u64 best = 0;
  auto consider = [&](u64 begin, u64 end) {
    begin = std::max(begin, low), end = std::min(end, highest);
    if (end <= begin || end - begin < size + 2 * distance_kept) return;
    u64 from_below = end - distance_kept - size;
    u64 at = from_below < near_to ? from_below : begin + (u64{1} << 30);
    if (at + size + distance_kept > end) at = begin + distance_kept;
    u64 away = at < near_to ? near_to - at : at - near_to;
    if (away + size >= reach) return;
    if (best == 0 || at < near_to) best = at;
  };
  u64 end_of_last = 0;
  for (const auto& mapping : list_) {
    if (mapping.start >= highest) break;  // vsyscall
    consider(end_of_last + (end_of_last ? distance_kept : 0), mapping.start);
    end_of_last = mapping.end;
  }
  consider(end_of_last + distance_kept, highest);
  return best & ~u64{0xfffff};
}

}  // namespace pgokit::record
