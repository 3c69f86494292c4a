#include "samples/script_maps.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "perf/build_ids.h"
#include "perf/script.h"
#include "samples/program_match.h"

namespace pgokit::samples {
namespace {

constexpr u32 any_process = ~u32{0};
constexpr u64 nowhere = 0;  // no program is mapped there

// In the order of the text.
std::vector<std::string_view> event_lines(std::string_view text, unsigned threads) {
  constexpr size_t piece_size = 4 << 20;
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    size_t end = text.size() > piece_size ? text.find('\n', piece_size) : text.npos;
    end = end == text.npos ? text.size() : end + 1;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  std::vector<std::vector<std::string_view>> found(pieces.size());
  parallel_for(pieces.size(), worker_count(threads), [&](size_t piece, unsigned) {
    perf::for_each_event_line(pieces[piece],
                              [&](std::string_view line) { found[piece].push_back(line); });
  });
  std::vector<std::string_view> lines;
  for (const auto& some : found) lines.insert(lines.end(), some.begin(), some.end());
  return lines;
}

}  // namespace

ScriptMaps::ScriptMaps(const program::Program& program, std::string_view text,
                       const ScriptMapOptions& options)
    : options_(options), maps_(program.file()), name_(program.name()) {
  for (auto line : event_lines(text, options.threads)) {
    auto place = static_cast<u64>(line.data() - text.data());
    if (auto task = perf::parse_task_line(line)) {
      add_task(place, *task);
    } else if (perf::is_mmap_line(line, perf::MmapRule::with_columns)) {
      auto event = perf::parse_mmap_line(line);
      unparsable_events_ += !event.parsed;
      if (event.parsed) add_mapping(place, event);
    }
  }
  frames_are_offsets_ = prints_offsets(text);
}

void ScriptMaps::add_mapping(u64 place, const perf::MmapLine& event) {
  if (options_.kernel) {
    if (!perf::is_kernel(event.path)) return;
    ++mappings_;
    return maps_.map_kernel(event.start);
  }
  if (!event.protection.contains('x') || event.pid < 0) return;
  auto pid = static_cast<u32>(event.pid);
  know(pid, place);
  bool ours = file_name(event.path) == name_;
  ProgramMaps::Mapping mapping{event.start, event.size, event.file_offset};
  maps_.map(any_process, place, mapping, ours);
  mappings_ += maps_.map(pid, place, mapping, ours) && ours;
  constexpr size_t enough = 64;
  if (ours && mapped_.size() < enough) mapped_.push_back(mapping);
}

// By what more of the first frames in the program can be.
bool ScriptMaps::prints_offsets(std::string_view text) const {
  constexpr size_t longest = 16 << 20;
  constexpr u64 enough = 1'000;
  u64 addresses = 0, offsets = 0;
  if (mapped_.empty()) return false;
  perf::Lines lines(text.substr(0, longest));
  for (u64 frames = 0; !lines.at_end() && frames < enough; lines.advance()) {
    if (!lines.line().starts_with('\t') || file_name(perf::frame_file(lines.line())) != name_)
      continue;
    auto value = perf::frame_address(lines.line());
    if (!value) continue;
    ++frames;
    addresses += std::ranges::any_of(
        mapped_, [&](const auto& mapping) { return *value - mapping.start < mapping.size; });
    offsets += std::ranges::any_of(
        mapped_, [&](const auto& mapping) { return *value - mapping.file_offset < mapping.size; });
  }
  return offsets > addresses;
}

void ScriptMaps::add_task(u64 place, const perf::TaskLine& task) {
  if (task.tid != task.pid) threads_[task.tid] = task.pid;
  if (task.exec) {
    know(task.pid, place);
    maps_.exec(task.pid, place);
  } else if (task.pid != task.parent && known_since_.contains(task.parent)) {
    know(task.pid, place);
    maps_.fork(task.pid, task.parent, place);
  }
}

u32 ScriptMaps::process_of(u32 pid_or_tid) const {
  auto found = threads_.find(pid_or_tid);
  return found == threads_.end() ? pid_or_tid : found->second;
}

bool ScriptMaps::Lookup::enter(std::optional<u32> pid, u64 place) {
  if (pid) pid = maps_->process_of(*pid);
  if (maps_->options_.pid && pid != maps_->options_.pid) return false;
  if (maps_->mappings_ == 0) return true;
  if (pid) {
    auto known = maps_->known_since_.find(*pid);
    if (known != maps_->known_since_.end() && known->second <= place)
      return layout_.enter(*pid, place);
  }
  return layout_.enter(any_process, place);
}

u64 ScriptMaps::Lookup::frame_address(u64 printed, std::string_view file) const {
  if (!maps_->frames_are_offsets_) return printed;
  if (file_name(file) != maps_->name_) return nowhere;
  auto runtime = layout_.runtime(maps_->maps_.address_at({printed}));
  return runtime ? runtime->value : nowhere;
}

}  // namespace pgokit::samples
