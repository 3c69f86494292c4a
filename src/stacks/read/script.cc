// Text of perf script: frames with their symbols, leaf first; functions inlined at a frame stand in
// front of it.

#include "perf/script.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "stacks/read/read.h"

namespace pgokit::stacks {
namespace {

using perf::script_detail::trim_left;

constexpr std::string_view inlined = " (inlined)", unknown = "[unknown]";

struct FrameText {
  u64 address = 0;
  std::string_view symbol, file;  // empty: not known
};

// "ADDRESS SYMBOL+0xOFFSET (FILE)"; the offset and the file may be missing, and anything may stand
// in a symbol.
FrameText parse_frame(std::string_view line) {
  FrameText frame;
  line = trim_left(line);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  size_t space = std::min(line.find(' '), line.size());
  perf::script_detail::parse_hex(line.substr(0, space), frame.address);
  auto rest = trim_left(line.substr(space));
  constexpr std::string_view deleted = " (deleted))";
  size_t open = rest.ends_with(deleted) ? rest.rfind(" (", rest.size() - deleted.size() - 1)
                                        : rest.rfind(" (");
  if (rest.ends_with(')') && open != rest.npos) {
    frame.file = rest.substr(open + 2, rest.size() - open - 3);
    rest = rest.substr(0, open);
  } else if (rest.starts_with('(') && rest.ends_with(')')) {
    frame.file = rest.substr(1, rest.size() - 2);
    rest = {};
  }
  size_t offset = rest.rfind("+0x");
  u64 value;
  if (offset != rest.npos && offset != 0 &&
      perf::script_detail::parse_hex(rest.substr(offset + 3), value))
    rest = rest.substr(0, offset);
  frame.symbol = rest == unknown ? std::string_view{} : rest;
  if (frame.file == unknown) frame.file = {};
  return frame;
}

Code code_of(std::string_view file) {
  if (file.starts_with('[') || file.ends_with("vmlinux")) return Code::kernel;
  bool is_map = file.starts_with("/tmp/perf-") && file.ends_with(".map");
  return is_map || file == "//anon" ? Code::generated : Code::file;
}

class ScriptReader {
 public:
  ScriptReader(const ReadOptions& options, Read& out)
      : options_(options), stacks_(out.stacks), collector_(options.times) {}

  void read(std::string_view text) {
    perf::script_detail::ColumnWalk walk(*this, false);
    for (perf::Lines lines(text); !lines.at_end(); lines.advance())
      walk.line(lines.line(), lines.number());
    walk.end();
    stacks_.nodes = collector_.nodes();
    stacks_.samples = collector_.samples();
    arrange(stacks_);
  }

  bool has_symbols() const { return has_symbols_; }
  bool has_frames() const { return has_frames_; }

  // What the walk calls for each part of a sample.
  void event(std::string_view) {}
  void begin(const perf::SampleColumns& columns, u64) {
    locations_.clear();
    inlined_.clear();
    is_wanted_ = !options_.pid || columns.pid == options_.pid;
    if (!is_wanted_) return;
    track_ = track_of(columns);
    time_ = columns.time;
    auto& event = stacks_.events[stacks_.tracks[track_].event];
    event.weighted |= columns.period.has_value();
    weight_ = columns.period.value_or(1);
    if (columns.ip) frame_line(columns.place);
  }
  void frame_line(std::string_view line) {
    if (!is_wanted_) return;
    if (line.ends_with(inlined)) {
      inlined_ += trim_left(line);
      inlined_ += '\n';
      return;
    }
    locations_.push_back(location_of(trim_left(line)));
    inlined_.clear();
  }
  void branches(std::string_view, u64) {}
  void end() {
    if (!is_wanted_ || locations_.empty()) return;
    has_frames_ |= locations_.size() > 1;
    u32 node = 0;
    for (size_t i = locations_.size(); i-- > 0;) node = collector_.child(node, locations_[i]);
    collector_.add({time_, 1, weight_, track_, node});
  }

 private:
  u32 track_of(const perf::SampleColumns& columns) {
    u32 pid = columns.pid.value_or(0), tid = columns.tid.value_or(pid);
    u32 event = event_of(columns.event);
    auto name = stacks_.names.intern(columns.command);
    auto [found, is_new] =
        tracks_.try_emplace({pid, tid, event, name}, static_cast<u32>(stacks_.tracks.size()));
    if (is_new) stacks_.tracks.push_back({pid, tid, columns.tid.has_value(), name, event});
    return found->second;
  }
  // Names beyond some are one, as a damaged text may have a new one in each line.
  u32 event_of(std::string_view name) {
    constexpr size_t most = 64;
    auto& events = stacks_.events;
    auto found = std::ranges::find(events, name, &Event::name);
    if (found == events.end() && events.size() < most) {
      bool clock = name.starts_with("cpu-clock") || name.starts_with("task-clock");
      events.push_back({std::string(name), clock ? "nanoseconds" : "count", false});
      return static_cast<u32>(events.size() - 1);
    }
    return static_cast<u32>(
        std::min<size_t>(static_cast<size_t>(found - events.begin()), most - 1));
  }

  // Frames that read alike are one location.
  u32 location_of(std::string_view line) {
    if (!inlined_.empty()) line = inlined_ += line;
    auto key = static_cast<u32>(lines_.intern(line));
    if (key < location_by_line_.size()) return location_by_line_[key];
    auto physical = parse_frame(line.substr(line.rfind('\n') + 1));
    Location location{module_of(physical.file), physical.address, code_of(physical.file),
                      static_cast<u32>(stacks_.frames.size()), 1};
    add_frame(physical.symbol);
    // Innermost first, before the frame that they are inlined in.
    for (size_t end = line.rfind('\n'); end != line.npos;) {
      size_t before = end == 0 ? line.npos : line.rfind('\n', end - 1);
      size_t begin = before == line.npos ? 0 : before + 1;
      auto text = line.substr(begin, end - begin);
      add_frame(parse_frame(text.substr(0, text.size() - inlined.size())).symbol);
      ++location.frames;
      end = before;
    }
    location_by_line_.push_back(static_cast<u32>(stacks_.locations.size()));
    stacks_.locations.push_back(location);
    return location_by_line_.back();
  }
  void add_frame(std::string_view symbol) {
    has_symbols_ |= !symbol.empty();
    stacks_.frames.push_back({stacks_.names.intern(symbol), stacks_.names.intern(""), 0, 0});
  }
  u32 module_of(std::string_view file) {
    auto number = static_cast<u32>(files_.intern(file));
    if (number == stacks_.modules.size()) stacks_.modules.emplace_back().path = file;
    return number;
  }

  const ReadOptions& options_;
  Stacks& stacks_;
  Collector collector_;
  Names lines_, files_;
  std::vector<u32> location_by_line_;
  std::map<std::tuple<u32, u32, u32, NameId>, u32> tracks_;
  bool has_symbols_ = false, has_frames_ = false;

  // Of the sample that is read.
  bool is_wanted_ = true;
  u32 track_ = 0;
  u64 time_ = 0, weight_ = 1;
  std::vector<u32> locations_;  // leaf first
  std::string inlined_;
};

}  // namespace

Result<Read> read_script(std::string_view text, const ReadOptions& options) {
  Read read;
  ScriptReader reader(options, read);
  reader.read(text);
  if (read.stacks.samples.empty())
    return fail("no sample with a call chain is in it: print it with perf script");
  if (!reader.has_symbols())
    return fail("its frames are addresses without names: print it with perf script -F +sym,+dso");
  if (!reader.has_frames()) return fail("no sample has a call chain: record with --call-graph");
  return read;
}

}  // namespace pgokit::stacks
